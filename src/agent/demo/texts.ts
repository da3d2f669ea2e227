/** The demo model's longer texts. Every answer starts with the label. */

export const LABEL = '*Demo model — scripted, offline.*\n\n';

export const GREETING = `# Welcome

Nobody thinks here: the answers are prepared, and nothing leaves this machine. The **tools are real**, though: they run in this folder.

## Try one of these

| write | what happens |
| --- | --- |
| \`list files\` | lists this folder |
| \`read README.md\` | reads a file |
| \`find *.md\` | finds files by name |
| \`grep TODO\` | searches in files |
| \`write NOTE.md: hello\` | creates a file |
| \`replace hello with goodbye in NOTE.md\` | changes it |
| \`run git status\` | runs a command, if that is allowed |

- \`long\` gives a long answer to scroll through
- \`think\` shows thinking first
- \`slow\` takes about 20 seconds; stop it with Esc
- \`ask permission\` wants to run a command, \`patch\` changes a file by a diff
- \`spawn a subagent\` lets another agent look around, \`fail\` fails

For real answers press **Alt+L**: sign in with ChatGPT there, or save a key with \`s\`. Or set a key:

\`\`\`sh
export ANTHROPIC_API_KEY=…   # or OPENAI_API_KEY
magi-term daemon stop        # so that it is seen
\`\`\`

Then start again and press F5. A server on this machine (Ollama, LM Studio, llama.cpp, vLLM) is found by itself.
`;

/** The notice of a turn that fails on request. */
export const FAILED = 'The demo model failed because it was asked to. Send something else.';

export const THOUGHTS =
  'The user wants to see thinking. I have none of my own, so I show prepared lines. They come before the answer, and they are folded away unless opened.';

export const THOUGHT_ANSWER =
  'That was thinking: it came before this text. Open the folded line above to read it.';

const LONG_SECTIONS = 10;
const LONG_ITEMS = 8;

/** About 120 rows of markdown. */
export function longAnswer(): string {
  const sections = Array.from({ length: LONG_SECTIONS }, (_, section) => {
    const items = Array.from(
      { length: LONG_ITEMS },
      (_, item) =>
        `${item + 1}. Row ${section * LONG_ITEMS + item + 1}: scroll up and the view stays where it is.`,
    );
    return [`## Part ${section + 1}`, '', ...items, '', '> A quote between the parts.', ''].join('\n');
  });
  return `# A long answer\n\n${sections.join('\n')}\nThat was the last row.\n`;
}

const SLOW_SENTENCES = 22;

/** About 100 pieces of three words. */
export function slowAnswer(): string {
  const sentences = Array.from(
    { length: SLOW_SENTENCES },
    (_, index) => `This is slow sentence number ${index + 1}, one piece after the other.`,
  );
  return `${sentences.join(' ')}\n`;
}

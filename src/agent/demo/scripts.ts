import { TurnFailure } from '../failure.ts';
import type { ToolResult } from '../tools/executor.ts';
import { type DemoScript, say } from './step.ts';
import { FAILED, GREETING, LABEL, longAnswer, slowAnswer, THOUGHT_ANSWER, THOUGHTS } from './texts.ts';

/** The patterns below look at this much of a prompt, so that a pasted book costs nothing. */
const MATCHED_CHARS = 1000;

/** Chooses what the demo model does for a prompt. The same prompt always gives the same script. */
export function demoScript(prompt: string): DemoScript {
  const head = prompt.slice(0, MATCHED_CHARS);
  for (const [pattern, script] of RULES) {
    const match = pattern.exec(head);
    if (match === null) continue;
    const rest = prompt.slice(match.index + match[0].length);
    return script(
      match.slice(1).map((group) => unquote(group ?? '')),
      rest,
    );
  }
  return answer(GREETING);
}

/** `rest` is everything in the prompt after the match. */
type Rule = readonly [pattern: RegExp, script: (groups: readonly string[], rest: string) => DemoScript];

/** The first rule that fits wins. */
const RULES: readonly Rule[] = [
  [/^\s*(?:please\s+)?run\s+(?=\S)/iu, (_groups, rest) => run(unquote(rest))],
  [/\bsubagents?\b(?:\s+(?:to|that|and))?/iu, (_groups, rest) => subagent(rest.trim())],
  [/\bask\w*\s+(?:\w+\s+)?(?:for\s+)?permission/iu, () => run('echo "You allowed it."')],
  [/^\s*(?:make\s+|apply\s+)?(?:a\s+|the\s+)?patch\b/iu, () => patch()],
  [
    /\b(?:replace|change)\s+(.+?)\s+(?:with|to)\s+(.+?)\s+in\s+(\S+)/iu,
    ([before = '', after = '', path = '']) => replace(before, after, path),
  ],
  [
    /\b(?:write|create)\s+([^\s:]+)\s*:\s*(?=\S)/iu,
    ([path = ''], rest) => write(path, `${rest.trimEnd()}\n`),
  ],
  [
    /\b(?:write|create)\s+(?:a\s+file\s+)?(\S*\.\w+)/iu,
    ([path = '']) => write(path, 'Written by the demo model.\n'),
  ],
  [/\bread\s+(\S+)/iu, ([path = '']) => read(path)],
  [/\bfind\s+(\S*[*?]\S*)/iu, ([pattern = '']) => search('find', pattern)],
  [/\b(?:find|grep|search(?:\s+for)?)\s+(.+)/iu, ([pattern = '']) => search('grep', pattern)],
  [/\b(?:list|files|ls)\b/iu, () => list()],
  [/\bthink/iu, () => think()],
  [/\blong\b/iu, () => answer(longAnswer())],
  [/\bslow/iu, () => slow()],
  [/\bfail/iu, () => fail()],
  [/\b(?:edit|change|replace)\b/iu, () => answer('Say it like this: `replace OLD with NEW in FILE`.\n')],
];

/** Drops quotes or backticks around a word and a full stop after it. */
function unquote(text: string): string {
  const trimmed = text.trim();
  return /^(["'`])([\s\S]*)\1[.!?]?$/u.exec(trimmed)?.[2] ?? trimmed;
}

function* answer(text: string): DemoScript {
  yield say(LABEL + text);
}

function* slow(): DemoScript {
  yield { kind: 'say', text: LABEL + slowAnswer(), pace: 'slow' };
}

function* think(): DemoScript {
  yield { kind: 'think', text: THOUGHTS };
  yield say(LABEL + THOUGHT_ANSWER);
}

function* list(): DemoScript {
  yield say(`${LABEL}I look at this folder.`);
  const result = yield { kind: 'tool', name: 'list', args: {} };
  if (result?.status !== 'ok') return yield* refusal(result);
  const names = result.output.split('\n').filter((name) => name !== '' && !name.startsWith('['));
  const folders = names.filter((name) => name.endsWith('/'));
  const shown = names.slice(0, 12).map((name) => `- \`${name}\``);
  const more = names.length > shown.length ? `\n- … and ${names.length - shown.length} more` : '';
  yield say(
    names.length === 0
      ? 'The folder is **empty**. Try `write NOTE.md: hello`.'
      : `There are **${folders.length} folders** and **${names.length - folders.length} files** here:\n\n${shown.join('\n')}${more}\n`,
  );
}

function* read(path: string): DemoScript {
  yield say(`${LABEL}I read \`${path}\`.`);
  const result = yield { kind: 'tool', name: 'read', args: { path } };
  if (result?.status !== 'ok') return yield* refusal(result);
  const lines = result.output.split('\n');
  yield say(`It starts like this:\n\n${fence(lines.slice(0, 12).join('\n'))}`);
}

function* write(path: string, content: string): DemoScript {
  yield say(`${LABEL}I write \`${path}\`.`);
  const result = yield { kind: 'tool', name: 'write', args: { path, content } };
  if (result?.status !== 'ok') return yield* refusal(result);
  yield say(`Done. ${result.output} Change it with \`replace A with B in ${path}\`.`);
}

function* replace(before: string, after: string, path: string): DemoScript {
  yield say(`${LABEL}I change \`${path}\`.`);
  const args = { path, old_text: before, new_text: after };
  const result = yield { kind: 'tool', name: 'edit', args };
  if (result?.status !== 'ok') return yield* refusal(result);
  yield say(`Done. ${result.output}`);
}

function* search(tool: 'find' | 'grep', pattern: string): DemoScript {
  yield say(`${LABEL}I search for \`${pattern}\`.`);
  const result = yield { kind: 'tool', name: tool, args: { pattern } };
  if (result?.status !== 'ok') return yield* refusal(result);
  yield say(`This is what I found:\n\n${fence(result.output.split('\n').slice(0, 12).join('\n'))}`);
}

function* run(command: string): DemoScript {
  yield say(`${LABEL}I run the command.`);
  const result = yield { kind: 'tool', name: 'bash', args: { command } };
  if (result?.status !== 'ok') return yield* refusal(result);
  yield say(`It worked:\n\n${fence(result.output.split('\n').slice(-12).join('\n'))}`);
}

/** @param prompt what the subagent is told */
function* subagent(prompt: string): DemoScript {
  yield say(`${LABEL}I give this to a subagent.`);
  const args = { title: 'A look around', prompt: prompt === '' ? 'list files' : prompt };
  const result = yield { kind: 'tool', name: 'task', args };
  if (result?.status !== 'ok') return yield* refusal(result);
  yield say(`It answered:\n\n${fence(result.output.replace(LABEL.trim(), '').trim())}`);
}

const PATCHED = 'DEMO.md';

/** Creates a file, or changes what an earlier patch made. */
function* patch(): DemoScript {
  yield say(`${LABEL}I look whether \`${PATCHED}\` is there.`);
  const before = yield { kind: 'tool', name: 'read', args: { path: PATCHED } };
  const line = before?.status === 'ok' ? before.output.split('\n')[0] : undefined;
  yield say(line === undefined ? 'It is not: I create it.' : 'It is: I change its first line.');
  const args = { patch: line === undefined ? NEW_FILE : firstLine(line) };
  const result = yield { kind: 'tool', name: 'patch', args };
  if (result?.status !== 'ok') return yield* refusal(result);
  yield say(`Done. ${result.output}`);
}

const NEW_FILE = `--- /dev/null\n+++ b/${PATCHED}\n@@ -0,0 +1,2 @@\n+# Patched 1 time\n+by the demo model\n`;

function firstLine(line: string): string {
  const times = Number(/\d+/u.exec(line)?.[0] ?? 0) + 1;
  return `--- a/${PATCHED}\n+++ b/${PATCHED}\n@@ -1 +1 @@\n-${line}\n+# Patched ${times} times\n`;
}

function* fail(): DemoScript {
  yield say(`${LABEL}I fail now, as you asked.`);
  throw new TurnFailure(FAILED, FAILED);
}

function* refusal(result: ToolResult | undefined): DemoScript {
  if (result?.status === 'denied') {
    const [reason = '', how] = (result.notice ?? '').split(' Allow it: ');
    yield say(`The tool was refused: ${reason}\n`);
    if (how !== undefined) yield say(`\nYou can allow it:\n\n${fence(how)}`);
    return;
  }
  yield say(`That did not work:\n\n${fence(result?.output ?? '')}`);
}

/** A code block whose fence is longer than any run of backticks inside. */
function fence(text: string): string {
  const longest = Math.max(2, ...(text.match(/`+/gu) ?? []).map((run) => run.length));
  const marks = '`'.repeat(longest + 1);
  return `${marks}\n${text.replace(/\n+$/u, '')}\n${marks}\n`;
}

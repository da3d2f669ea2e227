/** The screens that have a picture: what stands on each, and how the program is brought there. */

import type { ModelScript } from '../support/model-server.ts';
import type { PtyProgram, ScreenCondition } from '../support/pty.ts';
import type { PictureHome, PictureHomeOptions } from './stage.ts';

export interface Scene {
  /** Of the file. */
  readonly name: string;
  /** For those who cannot see it. */
  readonly title: string;
  readonly cols: number;
  readonly rows: number;
  readonly window: 'dark' | 'light';
  readonly home: PictureHomeOptions;
  /** Before the program starts. */
  readonly prepare?: (home: PictureHome) => void;
  /** From the start of the program to the moment of the picture. */
  readonly play: (program: PtyProgram, home: PictureHome) => Promise<void>;
}

const PATIENCE = { timeoutMs: 30_000 };

const RETRY = `import { jitter } from './jitter.ts';

/** Waits longer after every failure. */
export async function retry(send: () => Promise<void>, base: number): Promise<void> {
  for (let attempt = 0; attempt < 5; attempt += 1) {
    if (await worked(send)) return;
    const wait = base * 2 ** attempt;
    await sleep(wait + Math.random());
  }
}
`;

const FILES = {
  'src/upload/retry.ts': RETRY,
  'src/upload/jitter.ts': 'export const jitter = (ms: number): number => ms * Math.random();\n',
  'src/upload/queue.ts': "import { retry } from './retry.ts';\n",
};

const TESTS = {
  name: 'npm',
  code: 1,
  prints: ' ✓ upload keeps its order\n ✗ upload retries (2 of 20 runs)\n\n 2 failed\n',
};
const QUESTION = 'The upload test is flaky. Find out why.';

const FOUND = `The timer used **milliseconds** in one place and **seconds** in the other.

| where | before | after |
| --- | --- | --- |
| \`retry.ts\` | \`+ Math.random()\` | \`+ jitter(wait)\` |
| \`queue.ts\` | unchanged | unchanged |

1. A failed upload now waits *up to* twice as long.
2. The test passes whatever the random part is:

\`\`\`ts
const wait = base * 2 ** attempt;
await sleep(wait + jitter(wait));
\`\`\`
`;

/** Runs the tests, reads, edits, and says what was wrong. */
const fixer: ModelScript = ({ toolResults }) => {
  switch (toolResults.length) {
    case 0:
      return [
        { text: "I'll run it in a loop first, then look at the retry code." },
        { toolCall: 'bash', args: { command: 'npm test -- upload --repeat 20' } },
      ];
    case 1:
      return [{ toolCall: 'read', args: { path: 'src/upload/retry.ts' } }];
    case 2:
      return [
        {
          toolCall: 'edit',
          args: {
            path: 'src/upload/retry.ts',
            old_text: 'wait + Math.random()',
            new_text: 'wait + jitter(wait)',
          },
        },
      ];
    default:
      return [{ text: FOUND }];
  }
};

const TASK = 'Look whether other callers of sleep wait for seconds, and run their tests.';

/** As before, then hands a part of the work to a subagent that does not come to its end. */
const delegating: ModelScript = (request) => {
  if (request.lastUser.includes(TASK)) {
    return request.toolResults.length === 0
      ? [{ toolCall: 'grep', args: { pattern: 'sleep' } }]
      : [{ toolCall: 'bash', args: { command: 'npm test -- queue' } }];
  }
  if (request.toolResults.length < 3) return fixer(request);
  return [
    { text: 'The wait was wrong in one place. Now the other callers.' },
    { toolCall: 'task', args: { title: 'Check other callers', prompt: TASK } },
  ];
};

const asking: ModelScript = () => [
  { text: 'I would build it from nothing.' },
  { toolCall: 'bash', args: { command: 'rm -rf dist && npm run build' } },
];

async function say(program: PtyProgram, text: string): Promise<void> {
  await program.waitFor('ready', PATIENCE);
  await program.type(text);
  program.press('enter');
}

/** Everything has been drawn. */
async function drawn(program: PtyProgram, condition: ScreenCondition): Promise<void> {
  await program.waitFor(condition, PATIENCE);
  await program.waitForQuiet(400);
}

/** The question, and the tests for as long as they take. */
async function fixed(program: PtyProgram, home: PictureHome): Promise<void> {
  await say(program, QUESTION);
  await drawn(program, /bash +npm test -- uplo/);
  home.forward(14_200);
  home.open('npm');
}

const FIXING: PictureHomeOptions = {
  script: fixer,
  files: FILES,
  commands: [TESTS],
  rule: 'bash: npm test -- *',
};

async function finished(program: PtyProgram, home: PictureHome): Promise<void> {
  await fixed(program, home);
  await drawn(
    program,
    (screen) => /jitter\(wait\)\);/.test(screen.text()) && screen.text().includes('ready'),
  );
}

export const SCENES: readonly Scene[] = [
  {
    name: 'chat',
    title: 'A finished turn: a command, a file read, an edit as a diff, and the answer',
    cols: 100,
    rows: 34,
    window: 'dark',
    home: FIXING,
    play: finished,
  },
  {
    name: 'running',
    title: 'A turn that runs: the talk at the left, the activity with a subagent at the right',
    cols: 120,
    rows: 32,
    window: 'dark',
    home: { ...FIXING, script: delegating },
    play: async (program, home) => {
      await fixed(program, home);
      await drawn(program, /npm test -- queue/);
      home.forward(8_000);
      await program.type('and add a regression test');
      await drawn(program, /0:22/);
    },
  },
  {
    name: 'question',
    title: 'The agent asks before it runs a command',
    cols: 100,
    rows: 22,
    window: 'dark',
    home: { script: asking },
    play: async (program) => {
      await say(program, 'Build the project from nothing.');
      await drawn(program, 'asks for permission');
    },
  },
  {
    name: 'first-start',
    title: 'The first start asks who should answer',
    cols: 80,
    rows: 20,
    window: 'dark',
    home: { script: null },
    play: (program) => drawn(program, 'Who should answer?'),
  },
  {
    name: 'sessions',
    title: 'Past sessions, the newest first',
    cols: 100,
    rows: 20,
    window: 'dark',
    home: { script: fixer },
    prepare: (home) => {
      home.keep('Fix the flaky upload test', 'The timer used milliseconds in one place.', 2);
      home.keep('Upload retries: design', 'Three ways to wait, and what each costs.', 20);
      home.keep('Why is the build slow?', 'The type checker runs twice.', 45);
      home.keep('Rename the queue module', 'Done in eleven files.', 24 * 12);
    },
    play: async (program) => {
      await program.waitFor('ready', PATIENCE);
      program.press('f2');
      await drawn(program, /Rename the queue/);
    },
  },
  {
    name: 'help',
    title: 'The keys',
    cols: 100,
    rows: 30,
    window: 'dark',
    home: { script: fixer },
    play: async (program) => {
      await program.waitFor('ready', PATIENCE);
      program.press('f1');
      await drawn(program, 'Everywhere');
    },
  },
  {
    name: 'in-full',
    title: 'A tool call in full: what it was called with, and all that came out',
    cols: 100,
    rows: 24,
    window: 'dark',
    home: FIXING,
    play: async (program, home) => {
      await finished(program, home);
      program.press('ctrl+b');
      await drawn(program, 'o open');
      await program.type('g');
      for (const key of ['j', 'j']) await program.type(key);
      await drawn(program, 'tool call bash');
      await program.type('o');
      await drawn(program, 'retries (2 of 20 runs)');
    },
  },
  {
    name: 'models',
    title: 'Choosing the model of a session',
    cols: 100,
    rows: 20,
    window: 'dark',
    home: FIXING,
    play: async (program) => {
      await program.waitFor('ready', PATIENCE);
      program.press('alt+m');
      await drawn(program, 'its key is missing');
    },
  },
  {
    name: 'settings',
    title: 'Settings: what is saved, what the next turn works with, how the window behaves',
    cols: 100,
    rows: 22,
    window: 'dark',
    home: FIXING,
    play: async (program) => {
      await program.waitFor('ready', PATIENCE);
      program.press('f12');
      await drawn(program, '1 model, fresh');
    },
  },
  {
    name: 'sign-in',
    title: 'Who can answer, and signing in and out',
    cols: 100,
    rows: 16,
    window: 'dark',
    home: FIXING,
    play: async (program) => {
      await program.waitFor('ready', PATIENCE);
      program.press('alt+l');
      await drawn(program, 'openai-codex');
    },
  },
  {
    name: 'light',
    title: 'The same on a light terminal',
    cols: 100,
    rows: 34,
    window: 'light',
    home: FIXING,
    play: finished,
  },
  {
    name: 'small',
    title: 'The same in a small window',
    cols: 40,
    rows: 12,
    window: 'dark',
    home: FIXING,
    play: finished,
  },
];

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { AppHome, answeredBy } from '../support/app.ts';
import {
  type ModelApi,
  type ModelScript,
  type ModelServer,
  startModelServer,
} from '../support/model-server.ts';
import type { PtyProgram } from '../support/pty.ts';

const open: (() => Promise<void>)[] = [];

async function scene(script: ModelScript, api?: ModelApi): Promise<{ user: AppHome; server: ModelServer }> {
  const server = await startModelServer({ script });
  const user = new AppHome({ settings: answeredBy(server.url, api) });
  open.push(async () => {
    await user.dispose();
    await server.close();
  });
  return { user, server };
}

async function say(program: PtyProgram, text: string): Promise<void> {
  await program.type(text);
  program.press('enter');
}

function count(program: PtyProgram, text: string): number {
  return program.screen.text().split(text).length - 1;
}

afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

/** Reads the file, changes it, and tells what it did. */
const fixer: ModelScript = ({ toolResults }) => {
  switch (toolResults.length) {
    case 0:
      return [{ text: 'I read it first.' }, { toolCall: 'read', args: { path: 'greeting.txt' } }];
    case 1:
      return [{ toolCall: 'edit', args: { path: 'greeting.txt', old_text: 'helo', new_text: 'hello' } }];
    default:
      return [
        {
          text: '## Fixed\n\n1. The word was *helo*.\n2. It is **hello** now.\n\n```ts\nconst word = "hello";\n```',
        },
      ];
  }
};

describe('a conversation', () => {
  it.each(['openai-completions', 'anthropic-messages'] as const)(
    'over %s changes a file, and after a new start every word is there',
    async (api) => {
      const { user } = await scene(fixer, api);
      const file = join(user.workspace, 'greeting.txt');
      writeFileSync(file, 'helo world\n');
      const first = user.start();
      await first.waitFor('ready');
      await say(first, 'Fix the spelling in greeting.txt');
      await first.waitFor(/▾ edit/);
      await first.waitFor('const word = "hello";');
      await first.waitFor('ready');
      expect(readFileSync(file, 'utf8')).toBe('hello world\n');
      const spoken = [
        'Fix the spelling in greeting.txt',
        'I read it first.',
        'Fixed',
        '1. The word was helo.',
        '2. It is hello now.',
        'const word = "hello";',
      ];
      for (const words of spoken) expect(first.screen.text()).toContain(words);
      first.press('ctrl+d');
      expect(await first.exit).toEqual({ code: 0, signal: null });
      expect(first.screen.text()).toMatch(/Go on with: magi-term --session [0-9a-f-]{36}/);

      const second = user.start({ rows: 60 });
      await second.waitFor('ready');
      second.press('f2');
      await second.waitFor(/› Fix the spelling in greeting\.txt/);
      second.press('enter');
      await second.waitFor('ready');
      await second.waitFor('const word = "hello";');
      for (const words of spoken) expect(second.screen.text()).toContain(words);
      await say(second, 'Thank you');
      await second.waitFor((screen) => screen.text().split('I read it first.').length === 3);
    },
  );

  it('gives the model the earlier conversation, tools included', async () => {
    const { user, server } = await scene(({ lastUser }) => [{ text: `You said ${lastUser}.` }]);
    const program = user.start();
    await program.waitFor('ready');
    await say(program, 'alpha');
    await program.waitFor('You said alpha.');
    await program.waitFor('ready');
    await say(program, 'beta');
    await program.waitFor('You said beta.');
    expect(JSON.stringify(server.requests.at(-1)?.body)).toContain('You said alpha.');
  });

  it('stops on Esc, keeps what was said, and takes the next message', async () => {
    const { user } = await scene(({ lastUser }) =>
      lastUser === 'again' ? [{ text: 'Here again.' }] : [{ text: 'Part one. ' }, { stall: true }],
    );
    const program = user.start();
    await program.waitFor('ready');
    await say(program, 'go');
    await program.waitFor('Part one.');
    program.press('escape');
    await program.waitFor('■ stopped');
    await program.waitFor('ready');
    expect(program.screen.text()).toContain('Part one.');
    await say(program, 'again');
    await program.waitFor('Here again.');
  });

  it('queues a message while a turn runs and sends it once', async () => {
    const { user, server } = await scene(({ lastUser }) =>
      lastUser === 'first'
        ? Array.from({ length: 60 }, () => ({ text: 'one ', delayMs: 20 }))
        : [{ text: 'The second answer.' }],
    );
    const program = user.start();
    await program.waitFor('ready');
    await say(program, 'first');
    await program.waitFor('one one');
    await say(program, 'second');
    await program.waitFor('queued: second');
    await program.waitFor('The second answer.', { timeoutMs: 20_000 });
    await program.waitFor('ready');
    expect(count(program, 'queued:')).toBe(0);
    expect(server.requests.length).toBe(2);
  });

  it('keeps the reader in place while text comes, and follows again on request', async () => {
    const rows = Array.from({ length: 120 }, (_, index) => `line ${index}\n\n`);
    const { user } = await scene(({ lastUser }) =>
      lastUser === 'long'
        ? [{ text: rows.join('') }]
        : rows.slice(0, 40).map((text) => ({ text: `more ${text}`, delayMs: 10 })),
    );
    const program = user.start({ cols: 80, rows: 24 });
    await program.waitFor('ready');
    await say(program, 'long');
    await program.waitFor('line 119');
    await program.waitFor('ready');
    await say(program, 'more');
    await program.waitFor('more line 2');
    program.press('pageup');
    await program.waitFor(/rows below/);
    const before = program.screen.rows()[2];
    await program.waitFor('ready', { timeoutMs: 20_000 });
    expect(program.screen.rows()[2]).toBe(before);
    expect(program.bytes()).not.toContain('\u001b[3J');
    program.press('ctrl+end');
    await program.waitFor('more line 39');
    expect(program.screen.text()).not.toContain('rows below');
  });

  it('lets two windows of one folder work side by side, one writer each session', async () => {
    const { user } = await scene(({ lastUser }) => [{ text: `Answer to ${lastUser}.` }]);
    const first = user.start();
    await first.waitFor('ready');
    await say(first, 'mine');
    await first.waitFor('Answer to mine.');
    await first.waitFor('ready');
    const second = user.start({ args: ['--session', 'last'] });
    await second.waitFor('Answer to mine.');
    await second.waitFor('read only');
    await say(second, 'not yours');
    await second.waitFor('Not sent. Another window controls this session.');
    await second.waitFor('› not yours');
    expect(first.screen.text()).not.toContain('not yours');
    await say(first, 'more');
    await second.waitFor('Answer to more.');
    first.press('ctrl+d');
    await first.exit;
    await second.waitFor('The session is free');
    second.press('enter');
    await second.waitFor('Answer to not yours.');
  });
});

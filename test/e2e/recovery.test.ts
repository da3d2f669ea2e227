/** A healthy client is dropped in mid-turn again and again: the reader hardly sees it (FC-19; PROTOCOL.md, "Recovery"). */
import { realpathSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { AppHome } from '../support/app.ts';
import { FastService, wordOf } from '../support/fast-service.ts';
import type { PtyProgram } from '../support/pty.ts';

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

async function scene(deltas: number): Promise<{ service: FastService; program: PtyProgram }> {
  const user = new AppHome();
  const identity = { workspace: realpathSync(user.workspace), stateRoot: realpathSync(user.state) };
  const service = await FastService.start({ identity, deltas, everyMs: 2, dropAfter: 45 });
  open.push(async () => {
    await user.dispose();
    await service.stop();
    expect(service.errors).toEqual([]);
  });
  const program = user.start({ args: ['--socket', service.options.socket] });
  await program.waitFor('ready');
  return { service, program };
}

async function say(program: PtyProgram, text: string): Promise<void> {
  await program.type(text);
  program.press('enter');
}

const lastWords = (deltas: number): string => wordOf(deltas - 1).trim();

describe('600 deltas at 2 ms', () => {
  it('every word is shown once, whatever was lost on the way', async () => {
    const { service, program } = await scene(600);
    await say(program, 'go');
    await program.waitFor((screen) => service.isDone && screen.text().includes(lastWords(600)), {
      timeoutMs: 30_000,
    });
    await program.waitFor('ready');
    expect(service.drops).toBeGreaterThan(1);
    expect(service.prompts).toEqual(['go']);
    const shown = program.screen.text().match(/\bw\d+\b/g) ?? [];
    const expected = Array.from({ length: 600 }, (_, index) => `w${index}`);
    expect(shown).toEqual(expected.slice(expected.length - shown.length));
    expect(program.screen.text()).not.toContain('link lost');
  });

  it('the draft and the place of the reader stay', async () => {
    const { service, program } = await scene(600);
    await say(program, 'go');
    await program.waitFor(/w200\b/, { timeoutMs: 30_000 });
    for (let presses = 0; presses < 4; presses += 1) program.press('pageup');
    await program.waitFor(/\bw5\b/, { timeoutMs: 30_000 });
    await program.type('half a thought');
    await program.waitFor('half a thought');
    const top = () =>
      program.screen
        .text()
        .split('\n')
        .slice(1, 12)
        .map((row) => row.replace(/[█│]$/, '').trimEnd());
    const before = top();
    const drops = service.drops;
    await program.waitFor(() => service.drops > drops || service.isDone, { timeoutMs: 30_000 });
    await program.waitFor((screen) => service.isDone && screen.text().includes('ready'), {
      timeoutMs: 30_000,
    });
    expect(top()).toEqual(before);
    expect(program.screen.text()).toContain('half a thought');
    expect(program.screen.text()).toMatch(/\d+ new rows/);
  });
});

import { afterEach, describe, expect, it } from 'vitest';
import { AppHome, answeredBy } from '../support/app.ts';
import { type ModelScript, startModelServer } from '../support/model-server.ts';
import type { PtyProgram } from '../support/pty.ts';

const open: (() => Promise<void>)[] = [];

const WORDS = Array.from({ length: 400 }, (_, index) => `w${index} `);

/** Speaks slowly enough to be interrupted; answers anything after that at once. */
const slowly: ModelScript = ({ lastUser }) =>
  lastUser === 'tell' ? WORDS.map((text) => ({ text, delayMs: 20 })) : [{ text: `Heard ${lastUser}.` }];

async function telling(): Promise<{ user: AppHome; program: PtyProgram; requests: () => number }> {
  const server = await startModelServer({ script: slowly });
  const user = new AppHome({ settings: answeredBy(server.url) });
  open.push(async () => {
    await user.dispose();
    await server.close();
  });
  const program = user.start();
  await program.waitFor('ready');
  await program.type('tell');
  program.press('enter');
  await program.waitFor('w100 ', { timeoutMs: 20_000 });
  return { user, program, requests: () => server.requests.length };
}

/** The highest word on the screen. */
function reached({ screen }: PtyProgram): number {
  return Math.max(...[...screen.text().matchAll(/\bw(\d+)\b/g)].map(([, digits]) => Number(digits)));
}

afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

describe('the service killed in mid-turn', () => {
  it('the screen keeps what was said, says why it ended, and goes on with a new service', async () => {
    const { user, program, requests } = await telling();
    await program.type('half a thought');
    const shown = reached(program);
    process.kill(user.servicePid(), 'SIGKILL');
    await program.waitFor('✗ failed: The service stopped in mid-turn.', { timeoutMs: 20_000 });
    expect(reached(program)).toBeGreaterThanOrEqual(shown);
    expect(program.screen.text()).toContain('› half a thought');
    expect(requests()).toBe(1);
    program.press('enter');
    await program.waitFor('Heard half a thought.', { timeoutMs: 20_000 });
    expect(requests()).toBe(2);
  });

  it('a later start finds the question and what was saved of the answer', async () => {
    const { user, program } = await telling();
    const shown = reached(program);
    process.kill(user.servicePid(), 'SIGKILL');
    program.kill('SIGKILL');
    await program.exit;
    const again = user.start({ args: ['--session', 'last'] });
    await again.waitFor(/you +tell/, { timeoutMs: 20_000 });
    await again.waitFor(/\bw\d+\b/);
    await again.waitFor('ready');
    expect(reached(again)).toBeGreaterThan(shown - 150);
    await again.type('more');
    again.press('enter');
    await again.waitFor('Heard more.', { timeoutMs: 20_000 });
  });
});

describe('the window closed in mid-turn', () => {
  it('the turn goes on without it, and a new window finds the whole answer', async () => {
    const { user, program } = await telling();
    program.hangUp();
    await program.exit;
    const again = user.start({ args: ['--session', 'last'] });
    await again.waitFor(`w${WORDS.length - 1}`, { timeoutMs: 30_000 });
    await again.waitFor('ready', { timeoutMs: 20_000 });
    expect(again.screen.text().split(`w${WORDS.length - 1}`).length).toBe(2);
  });
});

import { afterEach, describe, expect, it } from 'vitest';
import { AppHome, answeredBy } from '../support/app.ts';
import { type ModelScript, startModelServer } from '../support/model-server.ts';
import type { PtyProgram } from '../support/pty.ts';
import { report } from './report.ts';

const open: (() => Promise<void>)[] = [];

const WORDS = 400;

interface Telling {
  readonly user: AppHome;
  readonly program: PtyProgram;
  readonly requests: () => number;
}

/** Speaks slowly enough to be interrupted; answers anything after that at once. */
async function telling(words = WORDS, delayMs = 20): Promise<Telling> {
  const script: ModelScript = ({ lastUser }) =>
    lastUser === 'tell'
      ? Array.from({ length: words }, (_, index) => ({ text: `w${index} `, delayMs }))
      : [{ text: `Heard ${lastUser}.` }];
  const server = await startModelServer({ script });
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
    await program.waitFor('✗ failed: The service ended before the turn did.', { timeoutMs: 20_000 });
    expect(reached(program)).toBeGreaterThanOrEqual(shown);
    expect(program.screen.text()).toContain('› half a thought');
    expect(requests()).toBe(1);
    program.press('enter');
    await program.waitFor('Heard half a thought.', { timeoutMs: 20_000 });
    expect(requests()).toBe(2);
  });

  it('a draft that is being typed survives, key by key', async () => {
    const { program, user } = await telling(600, 5);
    const draft = 'everything that is typed while the service dies stays in the draft';
    const typing = program.type(draft);
    await program.waitFor('› everything that is');
    process.kill(user.servicePid(), 'SIGKILL');
    await typing;
    await program.waitFor('✗ failed: The service ended before the turn did.', { timeoutMs: 20_000 });
    await program.waitFor(`› ${draft}`);
    report(
      'the service dies while 600 deltas stream and a draft is typed',
      'every key is in the draft, the end is told',
    );
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
    await again.waitFor(`w${WORDS - 1}`, { timeoutMs: 30_000 });
    await again.waitFor('ready', { timeoutMs: 20_000 });
    expect(again.screen.text().split(`w${WORDS - 1}`).length).toBe(2);
  });
});

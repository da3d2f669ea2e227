/** A session of many thousand messages, as a person reads it. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { writePast } from '../bench/past-session.ts';
import { AppHome } from '../support/app.ts';
import type { PtyProgram } from '../support/pty.ts';

const MESSAGES = 6_000;
const TURNS = MESSAGES / 2;
const TEXT_CELLS = 97;
const PATIENCE = { timeoutMs: 20_000 };

let home: AppHome;
let program: PtyProgram;

beforeAll(async () => {
  home = new AppHome({ settings: { provider: 'demo', model: 'demo-1' } });
  writePast({ stateRoot: home.state, workspace: home.workspace, sessionId: 'long', messages: MESSAGES });
  program = home.start({ args: ['--session', 'long'] });
  await program.waitFor('ready', PATIENCE);
});
afterAll(() => home.dispose());

/** The talk, without its scroll bar. */
function talkRows(): string[] {
  const rows = program.screen.rows();
  const rule = rows.findIndex((row) => row.startsWith('───'));
  return rows.slice(2, rule).map((row) => row.slice(0, TEXT_CELLS).trimEnd());
}

/** Numbers of the turns on the screen, from top to bottom. */
function shownTurns(): number[] {
  return [
    ...talkRows()
      .join('\n')
      .matchAll(/(?:Question|Answer) (\d+):/g),
  ].map(([, number]) => Number(number));
}

function isAtEnd(): boolean {
  return shownTurns().at(-1) === TURNS && !program.screen.text().includes('↓ Ctrl+End');
}

test('opens at its end, goes up through pages without a jump, to the beginning, and back', async () => {
  await program.waitFor(() => isAtEnd(), PATIENCE);
  for (let page = 0; page < 120; page += 1) {
    await program.waitFor((screen) => !screen.text().includes('earlier messages'), PATIENCE);
    const before = talkRows();
    const [kept, all] = [before.slice(0, 2).join('\n'), before.join('\n')];
    program.press('pageup');
    // What was on top is still to be seen, further down: nothing was passed over.
    const hasMoved = (talk: string): boolean => talk !== all && talk.includes(kept) && !talk.startsWith(kept);
    await program.waitFor(() => hasMoved(talkRows().join('\n')), PATIENCE);
  }
  expect(shownTurns()[0]).toBeLessThan(TURNS - 100);

  program.press('ctrl+home');
  await program.waitFor('newer messages ↓ Ctrl+End', PATIENCE);
  expect(program.screen.text()).toContain('The session begins here');
  expect(shownTurns()[0]).toBe(1);

  for (let page = 0; page < 60; page += 1) program.press('pagedown');
  await program.waitFor(() => (shownTurns()[0] ?? 0) > 90, PATIENCE);

  program.press('ctrl+end');
  await program.waitFor(() => isAtEnd(), PATIENCE);
});

test('a way to the beginning can be left, and nothing moves', async () => {
  await program.waitFor(() => isAtEnd(), PATIENCE);
  program.press('pageup');
  await program.waitFor('below ↓ Ctrl+End', PATIENCE);
  const before = shownTurns();
  program.press('ctrl+home');
  await program.waitFor('going to the beginning', PATIENCE);
  program.press('shift+down');
  await program.waitFor((screen) => !screen.text().includes('going to the beginning'), PATIENCE);
  expect(program.screen.text()).not.toContain('The session begins here');
  expect(shownTurns().slice(0, 3)).toEqual(before.slice(0, 3));
  program.press('ctrl+end');
  await program.waitFor(() => isAtEnd(), PATIENCE);

  program.press('ctrl+home');
  await program.waitFor('newer messages ↓ Ctrl+End', PATIENCE);
  expect(shownTurns()[0]).toBe(1);
});

/** A quiet screen is quiet. */
import { describe, expect, it } from 'vitest';
import { count, FIELD_TIMEOUT, FieldStage, PATIENCE, say } from '../../support/field-stage.ts';
import type { PtyProgram } from '../../support/pty.ts';

const stage = new FieldStage();

const SIZE = { cols: 80, rows: 24 };
const STILL_MS = 2_000;
const WRITES_A_SECOND = 15;
const FRAME = '\u001b[?2026h';

async function chat(): Promise<PtyProgram> {
  const { user } = await stage.answered(({ lastUser }) =>
    lastUser === 'wait' ? [{ text: 'Waiting.' }, { stall: true }] : [{ text: 'Heard.' }],
  );
  const program = await stage.ready(user, SIZE);
  await say(program, 'hello');
  await program.waitFor('Heard.', PATIENCE);
  await program.waitFor('ready', PATIENCE);
  await program.waitForQuiet(500);
  return program;
}

const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

/** The rows that differ, by their number. */
function changed(before: readonly string[], after: readonly string[]): number[] {
  return after.flatMap((row, index) => (row === before[index] ? [] : [index]));
}

describe('FC-02 a quiet screen is quiet', FIELD_TIMEOUT, () => {
  it('nothing happens: not a byte in 2 s', async () => {
    const program = await chat();
    const mark = program.mark();
    await pause(STILL_MS);
    expect(program.bytesSince(mark)).toBe('');
  });

  it('a turn without deltas: only the status row changes, and seldom', async () => {
    const program = await chat();
    await say(program, 'wait');
    await program.waitFor('Waiting.', PATIENCE);
    await program.waitFor('working', PATIENCE);
    await program.waitForQuiet(300);
    const [mark, before] = [program.mark(), program.screen.rows()];
    await program.waitFor((screen) => screen.rows().at(-1) !== before.at(-1), PATIENCE);
    await pause(STILL_MS);
    const bytes = program.bytesSince(mark);
    expect(changed(before, program.screen.rows())).toEqual([SIZE.rows - 1]);
    expect(count(bytes, FRAME)).toBeLessThanOrEqual((WRITES_A_SECOND * STILL_MS) / 1_000 + 1);
    expect(bytes).not.toMatch(/\u001b\[\d*J/);
    expect(bytes).not.toContain('Heard.');
    program.press('escape');
    await program.waitFor('ready', PATIENCE);
  });

  it('one letter: only the row of the draft changes', async () => {
    const program = await chat();
    const [mark, before] = [program.mark(), program.screen.rows()];
    await program.type('k');
    await program.waitFor('› k', PATIENCE);
    await program.waitForQuiet(200);
    expect(changed(before, program.screen.rows())).toEqual([SIZE.rows - 2]);
    const bytes = program.bytesSince(mark);
    expect(bytes).not.toMatch(/\u001b\[\d*J/);
    for (const words of ['Heard.', 'ready', '─']) expect(bytes).not.toContain(words);
  });
});

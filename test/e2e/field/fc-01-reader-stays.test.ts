/** The reader stays where they are while text comes, and follows again on request. The row index has its own tests in test/render. */
import { describe, expect, it } from 'vitest';
import { BELOW, bare, FIELD_TIMEOUT, FieldStage, PATIENCE, say } from '../../support/field-stage.ts';

const stage = new FieldStage();

const ROWS = 200;
const DELTAS = 100;
const SCROLLED = 50;
const TOP = 2;

describe('FC-01 the reader stays where they are', FIELD_TIMEOUT, () => {
  it('50 rows up, 100 deltas change nothing above; the end is one key away', async () => {
    const past = Array.from({ length: ROWS }, (_, index) => `- row ${index}`).join('\n');
    const deltas = Array.from({ length: DELTAS }, (_, index) => ({ text: `- more ${index}\n`, delayMs: 10 }));
    let go = (): void => undefined;
    const { user } = await stage.answered(({ lastUser }) => {
      if (lastUser === 'past') return [{ text: past }];
      go();
      return deltas;
    });
    const program = await stage.ready(user, { cols: 80, rows: 24 });
    await say(program, 'past');
    await program.waitFor(`row ${ROWS - 1}`, PATIENCE);
    await program.waitFor('ready', PATIENCE);
    const asked = new Promise<void>((resolve) => {
      go = resolve;
    });
    await say(program, 'more');
    await asked;
    const first = (): string => bare(program.screen.rows()[TOP]);
    for (let row = 0; row < SCROLLED; row += 1) {
      program.press('shift+up');
    }
    await program.waitFor(BELOW, PATIENCE);
    await program.waitForQuiet(60);
    const before = first();
    expect(before).toMatch(/row \d+/);
    await program.waitFor('ready', PATIENCE);
    expect(first()).toBe(before);
    expect(program.screen.text()).toMatch(BELOW);
    expect(program.screen.text()).not.toContain(`more ${DELTAS - 1}`);
    program.press('ctrl+end');
    await program.waitFor(`more ${DELTAS - 1}`, PATIENCE);
    expect(program.screen.text()).not.toMatch(BELOW);
    await say(program, 'past');
    await program.waitFor(
      (screen) =>
        screen
          .rows()
          .slice(TOP)
          .some((row) => row.includes(`row ${ROWS - 1}`)),
      PATIENCE,
    );
    expect(program.bytes()).not.toContain('\u001b[3J');
  });
});

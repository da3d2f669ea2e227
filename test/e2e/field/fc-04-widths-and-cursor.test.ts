/** Whole characters and the real cursor. The widths themselves are checked in test/render/width.test.ts, the buffer in test/ui/composer. */
import { describe, expect, it } from 'vitest';
import { FIELD_TIMEOUT, FieldStage, PATIENCE, say } from '../../support/field-stage.ts';
import type { PtyProgram } from '../../support/pty.ts';
import { VirtualScreen } from '../../support/virtual-screen.ts';

const stage = new FieldStage();

/** Visible characters and their cells; the family last, as terminals do not agree on it. */
const CHARACTERS = [
  ['\u6f22', 2],
  ['\u5b57', 2],
  ['\u27a1', 1],
  ['\u27a1\ufe0f', 2],
  ['e\u0301', 1],
  ['\u{1f1e9}\u{1f1ea}', 2],
  ['\u{1f44d}\u{1f3fd}', 2],
  ['\u{1f468}\u200d\u{1f469}\u200d\u{1f467}\u200d\u{1f466}', 2],
] as const;
const PROMPT_CELLS = 3;
const SIZE = { cols: 80, rows: 24 };

/** Cells in front of the caret once so many characters stand before it. */
function caretAfter(characters: number): number {
  return CHARACTERS.slice(0, characters).reduce((sum, [, cells]) => sum + cells, PROMPT_CELLS);
}

async function chat(): Promise<PtyProgram> {
  const { user } = await stage.answered(({ lastUser }) =>
    lastUser === 'wait' ? [{ text: 'Waiting.' }, { stall: true }] : [{ text: 'Heard.' }],
  );
  return stage.ready(user, SIZE);
}

/** The draft as the terminal shows it. */
function draft(program: PtyProgram): string {
  const row = program.screen.rows().find((text) => text.startsWith(' › ')) ?? '';
  return row.slice(PROMPT_CELLS);
}

describe('FC-04 whole characters and the real cursor', FIELD_TIMEOUT, () => {
  it('one visible character a key, there and back, and none in parts', async () => {
    const program = await chat();
    const at = async (characters: number): Promise<void> => {
      await program.waitFor((screen) => screen.cursor().x === caretAfter(characters), PATIENCE);
      expect(program.screen.cursor().visible).toBe(true);
    };
    program.write(CHARACTERS.map(([character]) => character).join(''));
    await at(CHARACTERS.length);
    for (let left = CHARACTERS.length - 1; left >= 0; left -= 1) {
      program.press('left');
      await at(left);
    }
    for (let right = 1; right <= CHARACTERS.length; right += 1) {
      program.press('right');
      await at(right);
    }
    for (let left = CHARACTERS.length - 1; left > 0; left -= 1) {
      program.press('backspace');
      await at(left);
      const kept = CHARACTERS.slice(0, left).map(([character]) => character);
      expect(draft(program).trimEnd()).toBe(kept.join(''));
    }
    program.press('backspace');
    await program.waitFor('Write a message', PATIENCE);
  });

  it('characters without width add nothing to the draft', async () => {
    const program = await chat();
    program.write('a\ufeff\u200bb');
    await program.waitFor('› ab', PATIENCE);
    expect(program.screen.cursor().x).toBe(PROMPT_CELLS + 2);
    for (const _character of 'ab\ufeff\u200b') program.press('backspace');
    await program.waitFor('Write a message', PATIENCE);
  });

  it('after every frame the cursor is visible and on the caret, also while the status is animated', async () => {
    const program = await chat();
    await say(program, 'wait');
    await program.waitFor('Waiting.', PATIENCE);
    program.write('\u6f22\u5b57');
    await program.waitFor('漢字', PATIENCE);
    await program.waitForQuiet(200);
    const from = program.mark();
    const status = program.screen.rows().at(-1);
    await program.waitFor((screen) => screen.rows().at(-1) !== status, PATIENCE);
    await program.waitForQuiet(200);
    const ends = await frameEnds(program.bytes(), from);
    expect(ends.length).toBeGreaterThan(0);
    for (const cursor of ends)
      expect(cursor).toEqual({ x: PROMPT_CELLS + 4, y: SIZE.rows - 2, visible: true });
    program.press('escape');
    await program.waitFor('ready', PATIENCE);
  });
});

/** Where the cursor was at the end of every frame behind a place in the bytes. */
async function frameEnds(bytes: string, from: number): Promise<unknown[]> {
  const screen = new VirtualScreen({
    ...SIZE,
    background: null,
    kittyKeyboard: 'unsupported',
    onReply: () => undefined,
  });
  const frames = bytes.split(/(?<=\u001b\[\?2026l)/);
  const cursors: unknown[] = [];
  let length = 0;
  for (const [index, frame] of frames.entries()) {
    await screen.write(frame);
    length += Buffer.byteLength(frame);
    const isWhole = index < frames.length - 1 || frame.endsWith('\u001b[?2026l');
    if (length > from && isWhole) cursors.push(screen.cursor());
  }
  screen.dispose();
  return cursors;
}

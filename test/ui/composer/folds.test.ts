import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Draft,
  draftText,
  emptied,
  withInserted,
  withKept,
  withText,
  withTextBefore,
} from '../../../src/ui/composer/draft.ts';
import { FOLD_LINES, NO_FOLDS } from '../../../src/ui/composer/folds.ts';
import { caretPlace, layoutText, lookAt, moveRowUp } from '../../../src/ui/composer/layout.ts';
import { killWordBack, moveLeft, moveRight } from '../../../src/ui/composer/motions.ts';
import {
  bufferOf,
  cleanText,
  deleteBack,
  deleteForward,
  EMPTY_BUFFER,
  moveTo,
  redo,
  type TextBuffer,
  undo,
  yank,
} from '../../../src/ui/composer/text-buffer.ts';

const EMPTY: Draft = { draft: EMPTY_BUFFER, folds: NO_FOLDS };
const LONG = Array.from({ length: 120 }, (_, at) => `line ${at}`).join('\n');
const HOSTILE = 'a\u{10f000}b\u{10fffd}';

const edited = (parts: Draft, edit: (buffer: TextBuffer) => TextBuffer): Draft => ({
  ...parts,
  draft: edit(parts.draft),
});

function rows({ draft, folds }: Draft, width = 60): string[] {
  return layoutText(draft.text, width, folds).map(({ text }) => text);
}

describe('a long paste', () => {
  const pasted = withInserted({ ...EMPTY, draft: bufferOf('see: ') }, LONG, 'pasted');

  it('is one character that says what it stands for, and leaves whole', () => {
    expect(rows(pasted)).toEqual(['see: [pasted 120 lines]']);
    expect(draftText(pasted)).toBe(`see: ${LONG}`);
    expect(rows(withInserted(EMPTY, 'x'.repeat(4_001), 'pasted'))).toEqual(['[pasted 4,001 bytes]']);
  });

  it('is passed, deleted, cut and put back as one, and undo brings it back', () => {
    const moved = edited(edited(pasted, moveLeft), moveRight);
    expect(draftText(edited(moved, deleteBack))).toBe('see: ');
    expect(draftText(edited(edited(moved, deleteBack), undo))).toBe(`see: ${LONG}`);
    expect(draftText(edited(edited(pasted, undo), redo))).toBe(`see: ${LONG}`);
    const cut = edited(pasted, killWordBack);
    expect(draftText(cut)).toBe('see: ');
    expect(draftText(edited(edited(cut, yank), yank))).toBe(`see: ${LONG}${LONG}`);
  });

  it('can be put back whole after the draft was sent', () => {
    const sent = emptied(edited(pasted, killWordBack));
    expect(draftText(edited(sent, yank))).toBe(LONG);
    expect(sent.folds.size).toBe(0);
  });

  it('stays as it is when it is short, typed, or text of an older message', () => {
    const short = 'one\n'.repeat(FOLD_LINES - 1);
    expect(withInserted(EMPTY, short, 'pasted').folds.size).toBe(0);
    expect(withInserted(EMPTY, LONG, 'typed').folds.size).toBe(0);
    expect(withText(EMPTY, LONG).folds.size).toBe(0);
  });

  it('is drawn no wider than the window, with the caret behind it', () => {
    for (const width of [4, 17, 40]) {
      const look = lookAt(width, pasted.folds);
      const laid = layoutText(pasted.draft.text, width, pasted.folds);
      for (const row of laid) expect(row.cells).toBeLessThanOrEqual(Math.max(width - 1, 1));
      const place = caretPlace(pasted.draft.text, laid, pasted.draft.caret, look);
      expect(place).toEqual({ row: laid.length - 1, column: laid.at(-1)?.cells });
    }
    const two = withInserted(
      edited(pasted, (buffer) => moveTo(buffer, 5)),
      'a\nb',
      'typed',
    );
    expect(moveRowUp(two.draft, 60, two.folds)?.caret).toBe(1);
  });
});

describe('private characters of others', () => {
  it('never become a fold, and come out as they were', () => {
    const both = withInserted(withInserted(EMPTY, LONG, 'pasted'), HOSTILE, 'typed');
    expect(draftText(both)).toBe(LONG + HOSTILE);
    expect(draftText(withText(both, HOSTILE))).toBe(HOSTILE);
    expect(draftText(withTextBefore(both, HOSTILE))).toBe(`${HOSTILE}\n${LONG}${HOSTILE}`);
    expect(draftText(withKept(EMPTY, HOSTILE))).toBe(HOSTILE);
    expect(draftText(withKept(both, HOSTILE + LONG))).toBe(HOSTILE + LONG);
  });
});

describe('whatever is done to a draft with folds', () => {
  const text = fc.oneof(
    fc.constantFrom(LONG, HOSTILE, '\u0301', 'word ', '漢字', '👩‍👩‍👧‍👦', '\n', '\u{10f001}'),
    fc.string({ unit: 'binary', maxLength: 12 }),
  );
  const step = fc.oneof(
    fc.record({ kind: fc.constant('paste' as const), text }),
    fc.record({ kind: fc.constant('type' as const), text }),
    fc.constantFrom(...(['left', 'right', 'back', 'forward', 'undo'] as const)).map((kind) => ({ kind })),
  );
  const MOVES = { left: moveLeft, right: moveRight, back: deleteBack, forward: deleteForward, undo };

  it('nothing is lost: a twin without folds says the same whenever only text was added', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ how: fc.constantFrom('pasted' as const, 'typed' as const), text }), {
          maxLength: 12,
        }),
        (puts) => {
          const draft = puts.reduce((parts, put) => withInserted(parts, put.text, put.how), EMPTY);
          expect(draftText(draft)).toBe(puts.map((put) => cleanText(put.text)).join(''));
        },
      ),
    );
  });

  it('the rows fit, the caret has a place, and every mark has its fold', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 20 }), fc.integer({ min: 3, max: 60 }), (steps, width) => {
        const end = steps.reduce<Draft>((parts, one) => {
          if (one.kind === 'paste') return withInserted(parts, one.text, 'pasted');
          if (one.kind === 'type') return withInserted(parts, one.text, 'typed');
          return edited(parts, MOVES[one.kind]);
        }, EMPTY);
        const laid = layoutText(end.draft.text, width, end.folds);
        const look = lookAt(width, end.folds);
        const place = caretPlace(end.draft.text, laid, end.draft.caret, look);
        expect(place.column).toBeLessThanOrEqual(Math.max(width - 1, laid[place.row]?.cells ?? 0));
        for (const mark of end.draft.text.match(/[\u{10f000}-\u{10fffd}]/gu) ?? [])
          expect(end.folds.has(mark)).toBe(true);
      }),
    );
  });
});

/** What stands between the talk and the status fits every window, whatever is open there. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rowText } from '../../src/render/row.ts';
import { INITIAL, type State } from '../../src/store/state.ts';
import { answered, followed, openCompletion } from '../../src/ui/completion/completion-steps.ts';
import { searchOpened, searchTyped } from '../../src/ui/completion/history-steps.ts';
import { withInserted, withText } from '../../src/ui/composer/draft.ts';
import { historyOf } from '../../src/ui/composer/history.ts';
import { type Size, SMALLEST } from '../../src/ui/frame.ts';
import { chatFrame } from '../../src/ui/screens/chat.ts';
import { Talk } from '../../src/ui/talk.ts';
import { initialView, type View } from '../../src/ui/view.ts';

const READY: State = { ...INITIAL, link: { kind: 'ready' } };
const HOSTILE = [
  '\u001b]0;title\u0007.ts',
  'a\u202eb/',
  '漢字'.repeat(80),
  `${'deep/'.repeat(60)}file.ts`,
  'x',
];

function draw(view: View, state: State = READY) {
  return chatFrame({ state, view, talk: new Talk(), folder: '~/p', monotonic: 0 });
}

function texts(view: View, state: State = READY): string[] {
  return draw(view, state).rows.map((row) => rowText(row).trimEnd());
}

function viewOf(size: Size): View {
  return initialView(size, 0);
}

function offering(size: Size, draft: string, paths: readonly string[]): View {
  const open = followed(withText(viewOf(size), draft));
  const query = openCompletion(open)?.trigger.query ?? '';
  const items = paths.map((path) => ({ path, marks: [0, 1, 2] }));
  return answered(open, { kind: 'answer', query, items, total: 9_999, size: 9_999, state: 'cut' });
}

const sizes = fc.record({
  columns: fc.integer({ min: SMALLEST.columns, max: 200 }),
  rows: fc.integer({ min: SMALLEST.rows, max: 60 }),
});

describe('above and in the draft', () => {
  it('everything fits, and the status stays in the last row', () => {
    const file = {
      path: '/a',
      name: `${'n'.repeat(90)}\u001b[2J.png`,
      size: 182_000,
      kind: 'image',
      temporary: false,
    } as const;
    const outbox = ['one', 'two'].map((text) => ({
      operationId: text,
      text,
      state: 'queued' as const,
      instanceId: null,
      after: 0,
    }));
    const kinds = fc.constantFrom('files', 'commands', 'history', 'long', 'folds');
    fc.assert(
      fc.property(sizes, kinds, fc.nat(9), (size, kind, files) => {
        const prompts = historyOf(HOSTILE);
        const base = { ...viewOf(size), prompts, attachments: Array.from({ length: files }, () => file) };
        const shown: Record<typeof kind, () => View> = {
          files: () => ({ ...offering(size, '@x', HOSTILE), attachments: base.attachments }),
          commands: () => followed(withText(base, '/')),
          history: () => searchTyped(searchOpened(base), 'x'),
          long: () => withText(base, 'word "quoted"\n'.repeat(1_300)),
          folds: () =>
            withInserted(withInserted(base, 'a\n'.repeat(99), 'pasted'), 'b'.repeat(9_999), 'pasted'),
        };
        const frame = draw(shown[kind](), { ...READY, outbox: size.rows < 12 ? [] : outbox });
        expect(frame.rows.length).toBe(size.rows);
        for (const row of frame.rows) {
          expect(row.width).toBeLessThanOrEqual(size.columns);
          expect(rowText(row)).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e]/);
        }
        expect(rowText(frame.rows.at(-1) ?? frame.rows[0] ?? { spans: [], width: 0 })).toMatch(
          /ready|sending/,
        );
        expect(frame.cursor?.x).toBeLessThan(size.columns);
        expect(frame.cursor?.y).toBeLessThan(size.rows - 1);
      }),
      { numRuns: 200 },
    );
  });

  it('the list says what it offers, what is chosen, and how much there is', () => {
    const rows = texts(offering({ columns: 80, rows: 30 }, 'see @fi', ['src/file.ts', 'file.md']));
    expect(rows.slice(-6)).toEqual([
      '─'.repeat(80),
      ' › src/file.ts',
      '   file.md',
      '   9,999 match · not all files: the folder holds too many · Tab take · Esc close',
      ' › see @fi',
      expect.stringContaining('ready'),
    ]);
  });

  it('a long path keeps its end, a long message its beginning', () => {
    const path = `${'deep/'.repeat(40)}file.ts`;
    expect(texts(offering({ columns: 40, rows: 30 }, '@f', [path])).join('\n')).toMatch(
      / › …[^\n]*\/file\.ts\n/,
    );
    const sent = {
      ...viewOf({ columns: 40, rows: 30 }),
      prompts: historyOf([`begin ${'word '.repeat(50)}`]),
    };
    expect(texts(searchOpened(sent)).join('\n')).toMatch(/ › begin word[^\n]*…\n/);
  });

  it('the cursor stands in the field of the search, and the draft is away', () => {
    const view = searchTyped(
      searchOpened({
        ...withText(viewOf({ columns: 60, rows: 20 }), 'half'),
        prompts: historyOf(['one', 'two']),
      }),
      'tw',
    );
    const frame = draw(view);
    const row = rowText(frame.rows[frame.cursor?.y ?? 0] ?? { spans: [], width: 0 });
    expect(row).toBe(' sent › tw');
    expect(frame.cursor?.x).toBe(row.length);
    expect(texts(view).join('\n')).not.toContain('half');
  });
});

/** The list above the draft: what the word at the caret may become, or which sent message comes back. */
import { type Row, type Span, type Style, span } from '../../render/row.ts';
import { sanitiseLine } from '../../render/sanitise.ts';
import { cellWidth, graphemes, takeCells, truncate } from '../../render/width.ts';
import { openCompletion } from '../completion/completion-steps.ts';
import { commandNamed } from '../completion/slash-commands.ts';
import { keyHint } from '../keys/bindings.ts';
import { bar } from '../rows/bar.ts';
import type { View } from '../view.ts';

const MAX_ROWS = 8;
/** From this height on the last row says how to go on. */
const ROWS_WITH_FOOTER = 4;
const ELLIPSIS = '…';

interface Item {
  readonly label: string;
  readonly marks: readonly number[];
  readonly detail: string;
  /** Which end of a label gives way. */
  readonly keeps: 'start' | 'end';
}

interface List {
  readonly items: readonly Item[];
  readonly selected: number;
  readonly footer: string;
}

/** No rows when no list is open; at most eight, and never more than `room`. */
export function popupRows(view: View, room: number): Row[] {
  const list = completionList(view) ?? historyList(view);
  const height = Math.min(MAX_ROWS, room);
  if (list === null || height < 1) return [];
  const { columns } = view.size;
  const needsFooter = list.footer !== '' && (height >= ROWS_WITH_FOOTER || list.items.length === 0);
  const visible = Math.min(list.items.length, height - (needsFooter ? 1 : 0));
  const top = Math.max(0, Math.min(list.selected - Math.floor(visible / 2), list.items.length - visible));
  const names =
    2 + Math.max(0, ...list.items.map(({ detail, label }) => (detail === '' ? 0 : cellWidth(label))));
  const rows = list.items
    .slice(top, top + visible)
    .map((item, index) => itemRow(item, top + index === list.selected, { columns, names }));
  return needsFooter ? [...rows, bar(columns, [span(`   ${list.footer}`, 'dim')], [])] : rows;
}

function itemRow(
  { detail, keeps, label, marks }: Item,
  selected: boolean,
  { columns, names }: { readonly columns: number; readonly names: number },
): Row {
  const whole = sanitiseLine(label);
  const right = detail === '' ? 0 : Math.min(cellWidth(detail), Math.floor(columns / 2)) + 2;
  const room = Math.max(4, columns - 4 - right);
  const shown = keeps === 'start' ? truncate(whole, room) : whole;
  const known = whole === label ? new Set(marks) : new Set<number>();
  const plain: Style = selected ? 'strong' : 'text';
  const text = markedSpans(shown, known, plain, room);
  const mark = selected ? span(' › ', 'accent') : span('   ', 'text');
  if (detail === '') return bar(columns, [mark, ...text], []);
  const padding = ' '.repeat(Math.max(2, names - cellWidth(shown)));
  return bar(columns, [mark, ...text, span(padding + detail, 'dim')], []);
}

/** The label with what was matched marked; a long one loses its beginning, because a path is known by its end. */
function markedSpans(text: string, marks: ReadonlySet<number>, plain: Style, room: number): Span[] {
  const from = startThatFits(text, room);
  const spans: Span[] = from === 0 ? [] : [span(ELLIPSIS, 'dim')];
  let at = from;
  for (const character of graphemes(text.slice(from))) {
    spans.push(span(character, marks.has(at) ? 'accent' : plain));
    at += character.length;
  }
  return spans;
}

function startThatFits(text: string, room: number): number {
  let left = cellWidth(text);
  if (left <= room) return 0;
  let from = 0;
  for (const character of graphemes(text)) {
    if (left <= room - 1) break;
    left -= cellWidth(character);
    from += character.length;
  }
  return from;
}

function completionList(view: View): List | null {
  const open = view.search === null && view.browse === null ? openCompletion(view) : null;
  if (open === null) return null;
  const { kind, offers, selected, total, walk } = open;
  const keys = [keyHint('completion.accept'), keyHint('completion.close')].join(' · ');
  const items = offers.map(({ detail, marks, value }): Item => {
    if (kind === 'file') return { label: value, marks, detail, keeps: 'end' };
    const argument = commandNamed(value)?.argument ?? '';
    const label = `/${value}${argument === '' ? '' : ` ${argument}`}`;
    return { label, marks: marks.map((mark) => mark + 1), detail, keeps: 'start' };
  });
  if (items.length === 0) {
    if (walk === 'walking') return { items, selected, footer: 'looking through the folder…' };
    if (walk === 'failed') return { items, selected, footer: 'The files of this folder cannot be listed.' };
    return null;
  }
  const count = total > items.length ? `${total.toLocaleString('en')} match` : '';
  const parts = [count, WALKS[walk], keys].filter((part) => part !== '');
  return { items, selected, footer: parts.join(' · ') };
}

const WALKS = {
  walking: 'still looking…',
  complete: '',
  cut: 'not all files: the folder holds too many',
  failed: '',
} as const;

function historyList({ historySearch }: View): List | null {
  if (historySearch === null) return null;
  const { found, selected } = historySearch;
  const keys = [keyHint('history.accept'), keyHint('history.older'), keyHint('history.close')].join(' · ');
  const items = found.map(({ marks, text }): Item => {
    const line = takeCells(text.trim().replaceAll('\n', ' ⏎ '), 400);
    return { label: line, marks: line === text ? marks : [], detail: '', keeps: 'start' };
  });
  const none = 'No message that was sent before matches.';
  return { items, selected, footer: items.length === 0 ? none : keys };
}

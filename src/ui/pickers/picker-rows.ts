/** The list above the draft: a field that narrows it, the offers around the chosen one, and what to press. */
import { type Row, type Span, span } from '../../render/row.ts';
import { spansWidth } from '../../render/row-builder.ts';
import { sanitiseLine } from '../../render/sanitise.ts';
import { cellWidth, truncate } from '../../render/width.ts';
import type { State } from '../../store/state.ts';
import { keyHint } from '../keys/bindings.ts';
import { bar } from '../rows/bar.ts';
import { fieldText } from '../rows/field-row.ts';
import { wordsThatFit } from '../rows/hints.ts';
import { nowInForce, offersOf } from './offers.ts';
import { chosenOffer, matching, type Offer, type Picker, type PickerKind } from './picker.ts';

/** What the picker looks like, and where the caret stands in it: rows from its top, cells from the left. */
export interface PickerRows {
  readonly rows: readonly Row[];
  readonly caret: { readonly row: number; readonly column: number };
}

const MAX_ROWS = 10;
const FOOT_INDENT = '   ';
/** Below so many columns names stand alone. */
const NARROW = 60;
/** Fewer cells say nothing. */
const LEAST_DETAIL = 8;
/** From this height on the last row says what to press. */
const ROWS_WITH_FOOTER = 4;
const TITLES: Readonly<Record<PickerKind, string>> = {
  model: ' Model',
  thinking: ' Thinking',
  permission: ' Permission',
  choices: ' This session',
  'saved-provider': ' Provider',
  'saved-model': ' Model',
};

/** At most ten rows and never more than `room`, each at most `columns` cells. */
export function pickerRows(picker: Picker, state: State, columns: number, room: number): PickerRows {
  const height = Math.min(MAX_ROWS, room);
  const offers = matching(offersOf(picker, state), picker.field.text);
  const title = `${TITLES[picker.kind]}: `;
  const { column, text } = fieldText(picker.field, Math.max(2, columns - title.length - 1));
  const head = bar(
    columns,
    [span(title, 'accent'), span(sanitiseLine(text), 'text')],
    [span(countOf(picker, state, offers), 'dim')],
  );
  const foot = footer(picker, state, offers, columns - FOOT_INDENT.length);
  const hasFooter = height >= ROWS_WITH_FOOTER || (offers.length === 0 && height > 1);
  const visible = Math.max(0, Math.min(offers.length, height - 1 - (hasFooter ? 1 : 0)));
  const chosen = chosenOffer(offers, picker);
  const top = Math.max(0, Math.min(chosen - Math.floor(visible / 2), offers.length - visible));
  const longest = Math.max(0, ...offers.map(({ label }) => cellWidth(sanitiseLine(label))));
  // What is chosen has to be told apart; what is said about it gives way.
  const cells = Math.min(longest, columns < NARROW ? columns - 6 : Math.floor(columns / 2));
  const body = offers
    .slice(top, top + visible)
    .map((offer, index) => offerRow(offer, top + index === chosen, { cells, columns }));
  const rows = [
    head,
    ...body,
    ...(hasFooter ? [bar(columns, [span(`${FOOT_INDENT}${foot}`, 'dim')], [])] : []),
  ];
  return {
    rows: rows.slice(0, Math.max(0, height)),
    caret: { row: 0, column: title.length + column },
  };
}

function countOf(picker: Picker, state: State, offers: readonly Offer[]): string {
  if (picker.field.text.trim() === '') return '';
  return `${offers.length} of ${offersOf(picker, state).length} `;
}

/** @param cells of the longest label that is shown whole */
function offerRow(
  { detail, id, isBold, isCurrent, label, reason }: Offer,
  isChosen: boolean,
  { cells, columns }: { readonly cells: number; readonly columns: number },
): Row {
  const name = truncate(sanitiseLine(label), cells);
  const padding = ' '.repeat(Math.max(2, cells + 2 - cellWidth(name)));
  const style = reason !== '' ? 'dim' : isBold ? 'warn' : isChosen ? 'strong' : 'text';
  const left: Span[] = [
    isChosen ? span(' › ', 'accent') : span('   ', 'text'),
    isCurrent ? span('● ', 'good') : span('  ', 'text'),
    span(name, style),
    span(padding, 'text'),
  ];
  const room = columns - spansWidth(left) - 1;
  const said = room < LEAST_DETAIL ? '' : detailThatFits([reason, id, detail].map(sanitiseLine), room);
  return bar(columns, [...left, span(said, 'dim')], []);
}

/** Why it cannot be chosen, its ID where that has room, and what it is. */
function detailThatFits([reason = '', id = '', detail = '']: readonly string[], room: number): string {
  const joined = (parts: readonly string[]): string => parts.filter((part) => part !== '').join(' · ');
  const hasRoom = cellWidth(joined([reason, id])) <= room;
  return truncate(joined(hasRoom ? [reason, id, detail] : [reason, detail]), room);
}

function footer(picker: Picker, state: State, offers: readonly Offer[], room: number): string {
  const { field, kind } = picker;
  const { catalog } = state;
  const keys = [keyHint('picker.close'), keyHint('picker.accept'), ruleOf(kind, state)];
  if (kind === 'permission' || kind === 'choices')
    return offers.length === 0 ? NOTHING : wordsThatFit(keys, room);
  if (catalog.state === 'failed')
    return truncate(sanitiseLine(`The models could not be read. ${catalog.failure}`), room);
  if (catalog.state === 'reading') return wordsThatFit(['reading the lists of models…', ...keys], room);
  if (offers.length > 0) return wordsThatFit(keys, room);
  return field.text.trim() === '' ? 'Nothing is offered here.' : NOTHING;
}

/** Another model begins with its own level: that is said before, not only afterwards. */
function ruleOf(kind: PickerKind, state: State): string {
  const saved = state.config?.configured_thinking_level ?? 'default';
  const level =
    kind === 'model' ? nowInForce(state).thinkingLevel : kind === 'saved-model' ? saved : 'default';
  return level === 'default' ? '' : 'thinking goes back to “default”';
}

const NOTHING = 'Nothing matches.';

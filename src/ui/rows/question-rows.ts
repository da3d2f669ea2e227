/** A question of the agent: what exactly would run or change, and what to press. Hidden characters are made visible. */
import { diffRows } from '../../render/diff.ts';
import { BLANK_ROW, type Row, span } from '../../render/row.ts';
import { rowOf } from '../../render/row-builder.ts';
import { revealHidden, sanitiseLine } from '../../render/sanitise.ts';
import { cellWidth } from '../../render/width.ts';
import { textRows } from '../../render/wrap.ts';
import type { Question } from '../../transcript/envelope-turn.ts';
import { keyHint } from '../keys/bindings.ts';
import { bar } from './bar.ts';

const INDENT = { first: [span('   ', 'text')], rest: [span('   ', 'text')] };
const GAP = '   ';

export interface QuestionPlace {
  /** The folder as it is shown; empty where it is not known. */
  readonly folder: string;
  /** Whether commands of this session run confined. */
  readonly confined: boolean;
  /** Questions that wait behind this one. */
  readonly more: number;
}

/** At most `height` rows; the keys are always among them. */
export function questionRows(question: Question, place: QuestionPlace, width: number, height: number): Row[] {
  const waiting = place.more === 0 ? [] : [span(`${place.more} more after this `, 'dim')];
  const head = bar(
    width,
    [span(' ? ', 'warn'), span(`${sanitiseLine(question.toolName)} asks for permission`, 'strong')],
    waiting,
  );
  const keys = keyRow(question, width);
  if (height <= 2) return [head, keys].slice(-Math.max(1, height));
  const where = height > 6 ? placeRows(question, place, width) : [];
  const why = height > 4 ? [...where, causeRow(question, width)] : [];
  const body = [...bodyRows(question, width), ...ruleRows(question, width)];
  const room = height - 2 - why.length;
  const shown = body.length <= room ? body : [...body.slice(0, room - 1), restRow(body.length - room + 1)];
  return [head, ...shown, ...why, keys];
}

/** The keys that fit, the most useful first. */
function keyRow({ rules }: Question, width: number): Row {
  const always = rules.length === 0 ? [] : (['question.always'] as const);
  const ids = ['question.once', ...always, 'question.deny', 'question.detail', 'question.deny-why'] as const;
  let words = '';
  for (const id of ids) {
    const hint = `${words === '' ? '' : GAP}${keyHint(id)}`;
    if (words === '' || GAP.length + cellWidth(words + hint) <= width) words += hint;
  }
  return bar(width, [span(GAP, 'text'), span(words, 'accent')], []);
}

/** Where and how it would happen: as many rows whatever the folder is called. */
function placeRows({ args }: Question, { confined, folder }: QuestionPlace, width: number): Row[] {
  const how =
    typeof args.command === 'string' ? [confined ? 'confined, without network' : 'not confined'] : [];
  const where = folder === '' ? [] : [`in ${sanitiseLine(folder)}`];
  return [dimRow([...where, ...how].join(' · '), width)];
}

function causeRow({ args, rules }: Question, width: number): Row {
  const parts = rules.map((rule) => sanitiseLine(rule.replace(/^[a-z]+: /, '')));
  const isPart = typeof args.command === 'string' && parts.some((part) => part !== args.command);
  if (parts.length === 0) return dimRow('asked because no rule can say it', width);
  const what = isPart ? parts.map((part) => `‘${part}’`).join(', ') : 'it';
  return dimRow(`asked because there is no rule for ${what}`, width);
}

function dimRow(text: string, width: number): Row {
  return bar(width, [span(`${GAP}${text}`, 'dim')], []);
}

function bodyRows({ args, title }: Question, width: number): Row[] {
  const { command, diff, ...rest } = args;
  if (typeof command === 'string') return textRows(revealHidden(command), 'text', width, INDENT);
  const named = textRows(revealHidden(title), 'text', width, INDENT);
  if (typeof diff === 'string' && diff !== '')
    return [...named, ...diffRows(diff, Math.max(2, width - 3)).map(indented)];
  const more = Object.entries(rest).map(
    ([name, value]) => [name, typeof value === 'string' ? value : (JSON.stringify(value) ?? '')] as const,
  );
  const told = more.filter(([, value]) => value !== '' && !title.includes(value));
  return [
    ...named,
    ...told.flatMap(([name, value]) => textRows(revealHidden(`${name}: ${value}`), 'dim', width, INDENT)),
  ];
}

/** What "always" would allow from now on, where that is not just the command again. */
function ruleRows({ args, rules }: Question, width: number): Row[] {
  const { command } = args;
  return rules
    .filter((rule) => rule !== `bash: ${command}`)
    .map((rule) => bar(width, [span('   always: ', 'dim'), span(sanitiseLine(rule), 'dim')], []));
}

function indented(row: Row): Row {
  return row.width === 0 ? BLANK_ROW : rowOf([span('   ', 'text'), ...row.spans]);
}

function restRow(count: number): Row {
  return rowOf([span(`   … ${count} more ${count === 1 ? 'row' : 'rows'}`, 'dim')]);
}

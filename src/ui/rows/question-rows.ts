/** A question of the agent: what exactly would run or change, and what to press. Hidden characters are made visible. */
import { diffRows } from '../../render/diff.ts';
import { BLANK_ROW, type Row, span } from '../../render/row.ts';
import { rowOf } from '../../render/row-builder.ts';
import { revealHidden, sanitiseLine } from '../../render/sanitise.ts';
import { textRows } from '../../render/wrap.ts';
import type { Question } from '../../transcript/envelope-turn.ts';
import { keyHint } from '../keys/bindings.ts';
import { bar } from './bar.ts';

const INDENT = { first: [span('   ', 'text')], rest: [span('   ', 'text')] };
const DENY = keyHint('question.deny');
const ONCE = keyHint('question.once');
const ALWAYS = keyHint('question.always');

/** At most `height` rows; the keys are always among them. */
export function questionRows(question: Question, more: number, width: number, height: number): Row[] {
  const waiting = more === 0 ? [] : [span(`${more} more after this `, 'dim')];
  const head = bar(
    width,
    [span(' ? ', 'warn'), span(`${sanitiseLine(question.toolName)} asks for permission`, 'strong')],
    waiting,
  );
  const always = question.rules.length === 0 ? [] : [ALWAYS];
  const hints = [ONCE, ...always, DENY].join('   ');
  const keys = bar(width, [span('   ', 'text'), span(hints, 'accent')], []);
  if (height <= 2) return [head, keys].slice(-Math.max(1, height));
  const body = [...bodyRows(question, width), ...ruleRows(question, width)];
  const room = height - 2;
  const shown = body.length <= room ? body : [...body.slice(0, room - 1), restRow(body.length - room + 1)];
  return [head, ...shown, keys];
}

function bodyRows({ args, title }: Question, width: number): Row[] {
  const { command, diff } = args;
  if (typeof command === 'string') return textRows(revealHidden(command), 'text', width, INDENT);
  const named = textRows(revealHidden(title), 'text', width, INDENT);
  if (typeof diff === 'string' && diff !== '')
    return [...named, ...diffRows(diff, Math.max(2, width - 3)).map(indented)];
  const { diff: _diff, ...rest } = args;
  return [...named, ...textRows(revealHidden(JSON.stringify(rest)), 'dim', width, INDENT)];
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

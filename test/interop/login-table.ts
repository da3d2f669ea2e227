/** The table of sign-ins as text: a row for each case, and a second one where magi-code comes to something else. */
import type { Outcome } from './login-act.ts';

export interface Line {
  readonly name: string;
  readonly embedded: Outcome;
  readonly magiCode:
    | { readonly kind: 'played'; readonly outcome: Outcome; readonly because: string }
    | { readonly kind: 'needs'; readonly what: string };
}

const HEAD = ['case', 'last state', 'operation', 'said', 'status after', 'magi-code'];

/** Columns are aligned; a case with two outcomes is marked with `differs`. */
export function loginTable(lines: readonly Line[]): string {
  const rows = [HEAD, ...lines.flatMap(rowsOf)];
  const full = rows.filter((row) => row.length > 1);
  const widths = HEAD.map((_, column) => Math.max(...full.map((row) => row[column]?.length ?? 0)));
  const text = rows.map((row) =>
    (row.length === 1 ? row : row.map((cell, column) => cell.padEnd(widths[column] ?? 0)))
      .join('  ')
      .trimEnd(),
  );
  const rule = widths.map((width) => '─'.repeat(width)).join('  ');
  return [text[0], rule, ...text.slice(1)].join('\n');
}

function rowsOf({ embedded, magiCode, name }: Line): string[][] {
  const row = (verdict: string): string[] => [name, ...cellsOf(embedded), verdict];
  if (magiCode.kind === 'needs') return [row(`needs ${magiCode.what}`)];
  if (isSame(embedded, magiCode.outcome)) return [row('the same')];
  return [row('differs'), ['  magi-code', ...cellsOf(magiCode.outcome)], [`  because ${magiCode.because}`]];
}

export function isSame(one: Outcome, other: Outcome): boolean {
  return cellsOf(one).every((cell, index) => cell === cellsOf(other)[index]);
}

function cellsOf({ last, operation, said, status }: Outcome): string[] {
  return [last, operation, said, status];
}

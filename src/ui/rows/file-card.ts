/** A file as one row: its name, its size, and what it is. */
import { type Row, span } from '../../render/row.ts';
import { sanitiseLine } from '../../render/sanitise.ts';
import { bar } from './bar.ts';
import { bytes } from './format.ts';

export interface FileCard {
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  /** Such as `image` or `image 800×600`. */
  readonly what: string;
  /** Cells in front. */
  readonly indent: number;
  /** At the right end. */
  readonly hint?: string;
}

/** One row of at most `width` cells. */
export function fileCardRow({ hint = '', indent, name, size, what }: FileCard, width: number): Row {
  const left = [
    span(' '.repeat(indent), 'text'),
    span('▣ ', 'accent'),
    span(sanitiseLine(name), 'strong'),
    span(`  ${bytes(size)}  ${what}`, 'dim'),
  ];
  return bar(width, left, hint === '' ? [] : [span(`${hint} `, 'dim')]);
}

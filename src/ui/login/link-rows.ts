/** The link of a sign-in, whole: its rows hold nothing else, so that what is selected is what is meant. */
import type { Row } from '../../render/row.ts';
import { span } from '../../render/row.ts';
import { rowOf } from '../../render/row-builder.ts';
import { sanitiseLine } from '../../render/sanitise.ts';

/** Each row full to its last cell but the last one; every one is a link to the whole. Only printable ASCII is shown. */
export function linkRows(url: string, width: number): readonly Row[] {
  const plain = printable(url);
  const rows: Row[] = [];
  for (let at = 0; at < plain.length; at += width)
    rows.push(rowOf([span(plain.slice(at, at + width), 'link', plain)]));
  return rows;
}

/** An address as it can be typed: what is not printable ASCII is written as its bytes. */
export function printable(url: string): string {
  return sanitiseLine(url).replace(/[^\u0021-\u007e]/gu, (character) => encodeURIComponent(character));
}

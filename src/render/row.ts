/**
 * What a terminal row is before colours are chosen: spans of sanitised text, each with a meaning.
 * Rows are the only way to the screen; a theme turns meanings into escape sequences in `paint.ts`.
 */

/** What a span means. The palette decides how it looks. */
export type Style =
  | 'text'
  | 'dim'
  | 'strong'
  | 'emphasis'
  | 'strong-emphasis'
  | 'strike'
  | 'heading'
  | 'link'
  | 'quote'
  | 'marker'
  | 'code'
  | 'accent'
  | 'good'
  | 'warn'
  | 'bad'
  | 'added'
  | 'removed'
  | 'selected'
  | 'match'
  /** Dark on light whatever the theme is: a code for a camera. */
  | 'picture'
  | 'user'
  | 'syntax-keyword'
  | 'syntax-string'
  | 'syntax-number'
  | 'syntax-comment'
  | 'syntax-title'
  | 'syntax-type';

export interface Span {
  readonly text: string;
  readonly style: Style;
  /** Target of an OSC 8 link: sanitised, http(s), file or mailto only. */
  readonly href?: string;
  /** Row of a picture that stands in place of the text, which is as many blanks. */
  readonly picture?: number;
}

export interface Row {
  readonly spans: readonly Span[];
  /** Width of all spans, in cells. */
  readonly width: number;
}

/** A row without text. */
export const BLANK_ROW: Row = { spans: [], width: 0 };

/** A span; without `href` when it is undefined. */
export function span(text: string, style: Style, href?: string): Span {
  return href === undefined ? { text, style } : { text, style, href };
}

/** The text of a row, without styles. */
export function rowText(row: Row): string {
  return row.spans.map((part) => part.text).join('');
}

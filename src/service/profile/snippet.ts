/** A line about a place in a text: at most 200 letters, the match in it, no control characters. */
const MAX_LETTERS = 200;
const MAX_BYTES = 800;
const BEFORE = 60;

const letters = new Intl.Segmenter();

/** @param index of the match, @param length of it, in UTF-16 units */
export function snippetAround(text: string, index: number, length: number): string {
  const from = Math.max(0, index - BEFORE);
  const piece = text.slice(from, index + length + MAX_LETTERS * 2).toWellFormed();
  const plain = plainLine(piece);
  const whole = `${from > 0 ? '…' : ''}${plain}`;
  let cut = '';
  let count = 0;
  for (const { segment } of letters.segment(whole)) {
    count += 1;
    if (count > MAX_LETTERS || Buffer.byteLength(cut + segment, 'utf8') > MAX_BYTES) break;
    cut += segment;
  }
  return cut;
}

/** One line without control, format and direction characters. */
export function plainLine(text: string): string {
  return text
    .replaceAll(/\u001b\[[0-9;?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)/g, '')
    .replaceAll(/[\s\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replaceAll(/[\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g, '')
    .trim();
}

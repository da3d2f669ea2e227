/** The parts of a CSI sequence: `ESC [ prefix params intermediates final`. */

export interface CsiSequence {
  /** One of `<`, `=`, `>`, `?`, or empty. */
  readonly prefix: string;
  /** Parameters with their sub-parameters; what was left out is undefined. */
  readonly params: readonly (readonly (number | undefined)[])[];
  readonly intermediates: string;
  readonly final: string;
  /** True when there is nothing between `ESC [` and the final byte. */
  readonly isBare: boolean;
}

/** Returns the parts of a sequence, or null when its body is not well formed. `body` excludes `ESC [` and the final. */
export function parseCsi(body: string, final: string): CsiSequence | null {
  const match = /^([<=>?]?)([0-9:;]*)([ -/]*)$/.exec(body);
  if (match === null) return null;
  const [, prefix = '', list = '', intermediates = ''] = match;
  const params = list === '' ? [] : list.split(';').map((part) => part.split(':').map(parseNumber));
  return { prefix, params, intermediates, final, isBare: body === '' };
}

function parseNumber(digits: string): number | undefined {
  if (digits === '') return undefined;
  return Math.min(Number.parseInt(digits, 10), 0xffffff);
}

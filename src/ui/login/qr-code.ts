/** Makes the squares of QR codes; loaded when the first one is asked for. */
import { encode } from 'uqr';

/** Lowest error correction: a screen is not dirty, and a long link has to fit. */
export function qrSquares(text: string): readonly (readonly boolean[])[] {
  return encode(text, { ecc: 'L', border: 0 }).data;
}

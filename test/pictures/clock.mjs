/**
 * Loaded into a program before its own code: time is what a file says (PICTURE_CLOCK; Unix time, ms), so that two runs
 * show the same times. Timers go on as usual.
 */
import { readFileSync } from 'node:fs';

const file = process.env.PICTURE_CLOCK ?? '';
const now = () => Number(readFileSync(file, 'utf8'));
const begun = now();
const RealDate = Date;

globalThis.Date = class extends RealDate {
  constructor(...parts) {
    if (parts.length === 0) super(now());
    else super(...parts);
  }

  static now() {
    return now();
  }
};
// A little more than nothing: some of the code divides by it.
performance.now = () => now() - begun + 1;

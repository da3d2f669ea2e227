/** Says what is missing before anything is built. */
import { missingChromium } from './chromium.ts';

const sentence = missingChromium();
if (sentence !== null) {
  console.error(sentence);
  process.exitCode = 1;
}

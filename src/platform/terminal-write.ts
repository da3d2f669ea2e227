/** Synchronous writes to the terminal, for when no event loop turn may follow. */
import { writeSync } from 'node:fs';

const RETRY_MS = 5;
const RETRIES = 40;

/**
 * Writes all of the text to a file descriptor before it returns. A full terminal is waited for, at most 200 ms.
 * Throws when the terminal is gone or stays full.
 */
export function writeToTerminal(fd: number, text: string): void {
  let rest = Buffer.from(text, 'utf8');
  let retries = RETRIES;
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(fd, rest));
    } catch (error) {
      const isFull = error instanceof Error && 'code' in error && error.code === 'EAGAIN';
      if (!isFull || retries === 0) throw error;
      retries -= 1;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS);
    }
  }
}

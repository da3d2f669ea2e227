/** What is shown on the normal screen for a moment, while the terminal is lent. */
import { createInterface } from 'node:readline';

/** Says what a line is, prints it on its own, unbroken, and waits for Enter or for the loan to end. */
export async function printAside(what: string, line: string, signal: AbortSignal): Promise<void> {
  process.stdout.write(`\n${what}\n\n${line}\n\nEnter goes back. `);
  const input = createInterface({ input: process.stdin, terminal: false });
  try {
    await new Promise<void>((resolve) => {
      input.once('line', () => resolve());
      input.once('close', () => resolve());
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
  } finally {
    input.close();
  }
}

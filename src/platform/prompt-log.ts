/**
 * The messages that were sent from a folder, kept for the next start: one JSON string a line, oldest first.
 *
 * Invariants:
 * - only the owner can read the file;
 * - a message is appended in one write, so several programs may write at once; rewriting keeps the newest ones;
 * - a line that cannot be read is passed over; a log that cannot be written loses nothing but itself.
 */
import { appendFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import writeFileAtomic from 'write-file-atomic';
import { makeFolder } from './folder.ts';

/** The most messages, and the most bytes of them, that are kept. */
export const MAX_PROMPTS = 500;
const MAX_BYTES = 2_000_000;
/** A file this much larger than what is kept is rewritten. */
const SLACK = 2;

export class PromptLog {
  readonly #file: string;

  /** @param file absolute path; its folder is made when there is something to keep */
  constructor(file: string) {
    this.#file = file;
  }

  /** What was sent, oldest first. Never rejects. */
  async load(): Promise<readonly string[]> {
    const lines = await this.#lines();
    const prompts = newest(lines.flatMap(promptOf));
    if (lines.length > MAX_PROMPTS * SLACK || sizeOf(lines) > MAX_BYTES * SLACK) await this.#rewrite(prompts);
    return prompts;
  }

  /** Keeps one more. */
  add(prompt: string): void {
    try {
      makeFolder(dirname(this.#file));
      appendFileSync(this.#file, `${JSON.stringify(prompt)}\n`, { mode: 0o600 });
    } catch {
      // A full disk or a folder without rights: the message itself is on its way.
    }
  }

  async #lines(): Promise<readonly string[]> {
    try {
      return (await readFile(this.#file, 'utf8')).split('\n').filter((line) => line !== '');
    } catch {
      return [];
    }
  }

  async #rewrite(prompts: readonly string[]): Promise<void> {
    const text = prompts.map((prompt) => `${JSON.stringify(prompt)}\n`).join('');
    await writeFileAtomic(this.#file, text, { mode: 0o600 }).catch(() => undefined);
  }
}

function promptOf(line: string): readonly string[] {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'string' ? [value] : [];
  } catch {
    return [];
  }
}

/** Each once, at its last place; as many of the newest as may be kept. */
function newest(prompts: readonly string[]): readonly string[] {
  const kept: string[] = [];
  let bytes = 0;
  for (const prompt of new Set(prompts.toReversed())) {
    bytes += Buffer.byteLength(prompt, 'utf8');
    if (kept.length === MAX_PROMPTS || bytes > MAX_BYTES) break;
    kept.push(prompt);
  }
  return kept.reverse();
}

function sizeOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + line.length, 0);
}

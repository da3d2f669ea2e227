/** How fast `@` answers: in a folder of 100,000 files, and in one of a tenth of them. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FileFinder } from '../../src/ui/completion/file-finder.ts';
import type { FileAnswer } from '../../src/ui/completion/file-talk.ts';
import { median, rounded } from './measure.ts';

const FILES = 100_000;
const FEWER = FILES / 10;
const PER_FOLDER = 100;
const ROUNDS = 5;
const QUERIES = [
  'e',
  'se',
  'src',
  'btn',
  'rendermark',
  'session.ts',
  'zzzq',
  'src/ui/comp',
  'uti',
  'wire/table9',
];
const WORDS = [
  'src',
  'test',
  'button',
  'render',
  'store',
  'client',
  'session',
  'wire',
  'util',
  'markdown',
  'table',
];

export async function composer(): Promise<Readonly<Record<string, number>>> {
  const small = await measured(FEWER);
  const large = await measured(FILES);
  return {
    files: FILES,
    first_answer_ms: rounded(large.firstMs),
    walk_ms: rounded(large.walkMs),
    first_query_ms: rounded(large.firstQueryMs),
    query_median_ms: rounded(median(large.queriesMs)),
    query_whole_median_ms: rounded(median(large.wholeMs)),
    query_p95_ms: rounded(percentile95(large.queriesMs)),
    query_max_ms: rounded(Math.max(...large.queriesMs)),
    query_ratio_to_tenth: rounded(median(large.queriesMs) / median(small.queriesMs)),
    main_thread_longest_block_ms: rounded(large.blockMs),
  };
}

async function measured(files: number) {
  const folder = mkdtempSync(join(tmpdir(), 'magi-term-bench-files-'));
  fill(folder, files);
  const asker = new Asker(folder);
  try {
    const start = performance.now();
    await asker.ask('', 'opening', () => true);
    const firstMs = performance.now() - start;
    await asker.until(({ state }) => state !== 'walking');
    const walkMs = performance.now() - start;
    const firstQueryMs = (await timed(asker, 'ui')).first;
    const stop = watchBlocks();
    const queriesMs: number[] = [];
    const wholeMs: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1)
      for (const query of QUERIES) {
        const { first, whole } = await timed(asker, query);
        queriesMs.push(first);
        wholeMs.push(whole);
      }
    return { firstMs, walkMs, firstQueryMs, queriesMs, wholeMs, blockMs: stop() };
  } finally {
    asker.close();
    rmSync(folder, { recursive: true });
  }
}

/** Until something can be chosen, and until the whole folder was searched, ms. */
async function timed(asker: Asker, query: string): Promise<{ first: number; whole: number }> {
  const start = performance.now();
  await asker.ask(query, 'open', (answer) => answer.query === query);
  const first = performance.now() - start;
  await asker.until((answer) => answer.query === query && answer.state !== 'walking');
  return { first, whole: performance.now() - start };
}

/** Puts questions one at a time. */
class Asker {
  readonly #finder: FileFinder;
  #last: FileAnswer | null = null;
  #waiting: (() => void) | null = null;

  constructor(folder: string) {
    this.#finder = new FileFinder(folder, (answer) => {
      this.#last = answer;
      this.#waiting?.();
    });
  }

  async ask(query: string, when: 'opening' | 'open', done: (answer: FileAnswer) => boolean): Promise<void> {
    this.#last = null;
    this.#finder.ask(query, when);
    await this.until(done);
  }

  until(done: (answer: FileAnswer) => boolean): Promise<void> {
    return new Promise((settle) => {
      this.#waiting = () => {
        if (this.#last === null || !done(this.#last)) return;
        this.#waiting = null;
        settle();
      };
      this.#waiting();
    });
  }

  close(): void {
    this.#finder.close();
  }
}

/** The longest time in which this thread could not have taken a key, ms. */
function watchBlocks(): () => number {
  const EVERY_MS = 2;
  let last = performance.now();
  let longest = 0;
  const timer = setInterval(() => {
    const now = performance.now();
    longest = Math.max(longest, now - last - EVERY_MS);
    last = now;
  }, EVERY_MS);
  return () => {
    clearInterval(timer);
    return longest;
  };
}

function fill(folder: string, files: number): void {
  const word = (at: number): string => WORDS[at % WORDS.length] ?? '';
  for (let at = 0; at < files / PER_FOLDER; at += 1) {
    const inside = join(folder, word(at), `${word(at * 7 + 3)}${at % 50}`, `${word(at * 3 + 1)}${at}`);
    mkdirSync(inside, { recursive: true });
    for (let file = 0; file < PER_FOLDER; file += 1)
      writeFileSync(join(inside, `${word(file)}-${word(at + file)}${file}.ts`), '');
  }
}

function percentile95(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.ceil(sorted.length * 0.95) - 1] ?? Number.NaN;
}

/**
 * The worker that knows the files of a folder: it walks, keeps the index and searches, off the interface's thread.
 * Invariants: the newest question is answered soon, if need be with what was found until then, and again while the walk
 * goes on; one that was overtaken is given up; a newer walk replaces the index only when it is through.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { type FilesWalk, walkFiles } from '../../platform/files-walk.ts';
import { FileIndex, type Findings } from './file-index.ts';
import type { FileQuestion, WalkState, WorkerWords } from './file-talk.ts';

const MAX_ITEMS = 50;
/** An index older than this is made anew when the list opens, ms. */
const STALE_MS = 5_000;
/** Between two answers to the same question while the walk goes on, ms. */
const AGAIN_MS = 100;
/** After so long somebody sees what was found, and newer questions are heard, ms. */
const SLICE_MS = 20;

class Librarian {
  readonly #folder: string;
  readonly #say: (words: WorkerWords) => void;
  #index = new FileIndex();
  #state: WalkState = 'complete';
  #walkedAt = Number.NEGATIVE_INFINITY;
  #walking = false;
  #asked: FileQuestion | null = null;
  #again: NodeJS.Timeout | null = null;
  #soon: NodeJS.Immediate | null = null;

  constructor(folder: string, say: (words: WorkerWords) => void) {
    this.#folder = folder;
    this.#say = say;
  }

  ask(question: FileQuestion): void {
    this.#asked = question;
    const isStale = performance.now() - this.#walkedAt > STALE_MS;
    if (!this.#walking && (this.#index.size === 0 || (question.fresh && isStale))) void this.#walk();
    // Behind the questions that wait already: somebody types faster than a large folder is searched.
    this.#soon ??= setImmediate(() => this.#answer());
  }

  async #walk(): Promise<void> {
    this.#walking = true;
    const isFirst = this.#index.size === 0;
    const coming = isFirst ? this.#index : new FileIndex();
    if (isFirst) this.#state = 'walking';
    let cut = false;
    const walk: FilesWalk = await walkFiles(this.#folder, (paths) => {
      if (coming.add(paths) === 'cut') {
        cut = true;
        walk.stop();
      }
      if (isFirst) this.#answerSoon();
    });
    this.#say({ kind: 'walker', pid: walk.pid });
    const end = await walk.ended;
    this.#say({ kind: 'walker', pid: null });
    this.#walking = false;
    this.#walkedAt = performance.now();
    this.#index = coming;
    this.#state = cut ? 'cut' : end;
    this.#answer();
  }

  #answerSoon(): void {
    this.#again ??= setTimeout(() => this.#answer(), AGAIN_MS);
  }

  /** Begins to answer the newest question. */
  #answer(): void {
    if (this.#again !== null) clearTimeout(this.#again);
    this.#again = null;
    if (this.#soon !== null) clearImmediate(this.#soon);
    this.#soon = null;
    if (this.#asked === null) return;
    const { query, recent } = this.#asked;
    this.#goOn(query, this.#index.searching({ query, recent, limit: MAX_ITEMS }), 'first');
  }

  #goOn(query: string, search: Generator<() => Findings, Findings>, slice: 'first' | 'later'): void {
    const end = performance.now() + SLICE_MS;
    for (;;) {
      const step = search.next();
      if (step.done === true) {
        this.#tell(query, step.value, this.#state);
        return;
      }
      if (performance.now() < end) continue;
      if (slice === 'first') this.#tell(query, step.value(), 'walking');
      this.#soon = setImmediate(() => {
        this.#soon = null;
        if (this.#asked?.query === query) this.#goOn(query, search, 'later');
        else this.#answer();
      });
      return;
    }
  }

  #tell(query: string, { items, total }: Findings, state: WalkState): void {
    this.#say({ kind: 'answer', query, items, total, size: this.#index.size, state });
  }
}

const librarian = new Librarian(String(workerData), (words) => parentPort?.postMessage(words));
parentPort?.on('message', (question: FileQuestion) => librarian.ask(question));

/**
 * Asks the file worker. It starts with the first question and is given up when nobody has asked for a while,
 * so that a folder of many files costs memory only while it is searched.
 * Invariant: after close() neither the worker nor its walk is left.
 */
import { Worker } from 'node:worker_threads';
import type { FileAnswer, FileQuestion, WorkerWords } from './file-talk.ts';

const IDLE_MS = 60_000;
const MAX_RECENT = 20;

export class FileFinder {
  readonly #folder: string;
  readonly #onAnswer: (answer: FileAnswer) => void;
  #worker: Worker | null = null;
  #walker: number | null = null;
  #idleTimer: NodeJS.Timeout | null = null;
  #recent: readonly string[] = [];

  /** @param folder the absolute path that is searched */
  constructor(folder: string, onAnswer: (answer: FileAnswer) => void) {
    this.#folder = folder;
    this.#onAnswer = onAnswer;
  }

  /** Answers come to `onAnswer`, once or more; `opening` says that the list was not open before. */
  ask(query: string, when: 'opening' | 'open'): void {
    this.#worker ??= this.#start();
    const question: FileQuestion = { query, recent: this.#recent, fresh: when === 'opening' };
    this.#worker.postMessage(question);
    if (this.#idleTimer !== null) clearTimeout(this.#idleTimer);
    this.#idleTimer = setTimeout(() => this.close(), IDLE_MS);
    this.#idleTimer.unref();
  }

  /** Remembers a choice: it comes first the next time. */
  took(path: string): void {
    this.#recent = [path, ...this.#recent.filter((other) => other !== path)].slice(0, MAX_RECENT);
  }

  close(): void {
    if (this.#idleTimer !== null) clearTimeout(this.#idleTimer);
    this.#idleTimer = null;
    const worker = this.#worker;
    this.#worker = null;
    if (this.#walker !== null) endProcess(this.#walker);
    this.#walker = null;
    void worker?.terminate();
  }

  #start(): Worker {
    const worker = new Worker(workerFile(), { workerData: this.#folder });
    worker.unref();
    worker.on('message', (words: WorkerWords) => {
      if (this.#worker !== worker) {
        if (words.kind === 'walker' && words.pid !== null) endProcess(words.pid);
      } else if (words.kind === 'walker') this.#walker = words.pid;
      else this.#onAnswer(words);
    });
    worker.on('error', () => {
      if (this.#worker === worker) this.close();
      this.#onAnswer({ kind: 'answer', query: '', items: [], total: 0, size: 0, state: 'failed' });
    });
    return worker;
  }
}

/** The worker lies beside this file in a checkout, and under its own name in the bundle. */
function workerFile(): URL {
  const ending = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  return new URL(`./file-worker.${ending}`, import.meta.url);
}

function endProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}

/**
 * The files and folders below one folder, ready to be searched while more of them come. Pure.
 *
 * Invariants:
 * - every path is kept once, as it was given; a folder ends with `/`;
 * - at most MAX_ENTRIES are kept: whoever adds more is told that it was cut.
 */
import fuzzysort from 'fuzzysort';

/** The most files and folders that one index holds. */
export const MAX_ENTRIES = 200_000;
/** Entries that are prepared together: small enough that the present end costs little to prepare again. */
const BLOCK = 10_000;
/** What a file that was chosen before is worth, on the matcher's scale from 0 to 1. */
const RECENT_BONUS = 0.15;

export interface Found {
  readonly path: string;
  /** Offsets of the matched units. */
  readonly marks: readonly number[];
}

export interface Findings {
  /** The best first. */
  readonly items: readonly Found[];
  /** How many match. */
  readonly total: number;
}

export interface Wanted {
  readonly query: string;
  /** The most items. */
  readonly limit: number;
  /** Paths that were chosen lately, the newest first. */
  readonly recent: readonly string[];
}

type Snapshot = ReturnType<typeof snapshotOf>;

interface Scored extends Found {
  readonly score: number;
}

export class FileIndex {
  readonly #blocks: { readonly paths: readonly string[]; readonly snapshot: Snapshot }[] = [];
  readonly #folders = new Set<string>();
  #open: string[] = [];
  #openSnapshot: Snapshot | null = null;
  #size = 0;

  /** Files and folders. */
  get size(): number {
    return this.#size;
  }

  /** Adds files by their paths, and the folders that they lie in. */
  add(files: readonly string[]): 'whole' | 'cut' {
    for (const file of files) {
      if (!this.#addFolders(file) || !this.#push(file)) return 'cut';
    }
    return 'whole';
  }

  /** What matches the query; without one, what was chosen lately and what lies at the top. */
  search(wanted: Wanted): Findings {
    const steps = this.searching(wanted);
    for (;;) {
      const step = steps.next();
      if (step.done === true) return step.value;
    }
  }

  /** The same in steps of a few ms; each yields the way to what was found so far. What is added meanwhile is not searched. */
  *searching({ query, limit, recent }: Wanted): Generator<() => Findings, Findings> {
    if (query === '') return this.#listed('', recent, limit);
    const inside = this.#folders.has(query) ? this.#listed(query, [], limit) : NOTHING;
    const known = new Set(inside.items.map(({ path }) => path));
    const withInside = (matches: Findings): Findings => {
      if (known.size === 0) return matches;
      const others = matches.items.filter(({ path }) => !known.has(path) && path !== query);
      const items = [...inside.items, ...others].slice(0, limit);
      return { items, total: Math.max(matches.total, inside.total) };
    };
    const steps = this.#matching(query, limit, recent);
    for (;;) {
      const step = steps.next();
      if (step.done === true) return withInside(step.value);
      yield () => withInside(step.value());
    }
  }

  #push(path: string): boolean {
    if (this.#size >= MAX_ENTRIES) return false;
    this.#open.push(path);
    this.#openSnapshot = null;
    this.#size += 1;
    if (this.#open.length === BLOCK) {
      const snapshot = snapshotOf(this.#open);
      prepare(snapshot);
      this.#blocks.push({ paths: this.#open, snapshot });
      this.#open = [];
    }
    return true;
  }

  #addFolders(file: string): boolean {
    for (let at = file.lastIndexOf('/'); at > 0; at = file.lastIndexOf('/', at - 1)) {
      const folder = file.slice(0, at + 1);
      if (this.#folders.has(folder)) return true;
      this.#folders.add(folder);
      if (!this.#push(folder)) return false;
    }
    return true;
  }

  *#matching(query: string, limit: number, recent: readonly string[]): Generator<() => Findings, Findings> {
    const options = { limit, threshold: 0 };
    this.#openSnapshot ??= snapshotOf(this.#open);
    const snapshots = [...this.#blocks.map(({ snapshot }) => snapshot), this.#openSnapshot];
    let total = 0;
    const bonus = new Set(recent);
    const found = new Map<string, Scored>();
    const worth = ({ path, score }: Scored): number => score + (bonus.has(path) ? RECENT_BONUS : 0);
    const findings = (): Findings => {
      const items = [...found.values()].sort(
        (left, right) => worth(right) - worth(left) || byLength(left.path, right.path),
      );
      return { items: items.slice(0, limit).map(({ marks, path }) => ({ path, marks })), total };
    };
    for (const path of recent) {
      const result = this.#has(path) ? fuzzysort.single(query, path) : null;
      if (result !== null) found.set(path, { path, marks: [...result.indexes], score: result.score });
    }
    for (const snapshot of snapshots) {
      const results = fuzzysort.go(query, snapshot, options);
      total += results.total;
      for (const { indexes, score, target } of results)
        found.set(target, { path: target, marks: [...indexes], score });
      yield findings;
    }
    return findings();
  }

  /** What was chosen lately, then what lies directly in a folder: folders first, by name. */
  #listed(folder: string, recent: readonly string[], limit: number): Findings {
    const inside: string[] = [];
    for (const paths of this.#paths())
      for (const path of paths) if (isDirectlyIn(path, folder)) inside.push(path);
    inside.sort((left, right) => Number(isFolder(right)) - Number(isFolder(left)) || byName(left, right));
    const first = recent.filter((path) => this.#has(path));
    const paths = [...new Set([...first, ...inside])];
    return { items: paths.slice(0, limit).map((path) => ({ path, marks: [] })), total: paths.length };
  }

  #has(path: string): boolean {
    return this.#folders.has(path) || this.#paths().some((paths) => paths.includes(path));
  }

  #paths(): readonly (readonly string[])[] {
    return [...this.#blocks.map(({ paths }) => paths), this.#open];
  }
}

const NOTHING: Findings = { items: [], total: 0 };

function snapshotOf(paths: readonly string[]) {
  return fuzzysort.snapshot(paths);
}

/** What the matcher prepares at a first question: these are asked beforehand, so that nobody has to wait for it. */
const FIRST_QUERIES = ['es', 'sr.t'];

function prepare(snapshot: Snapshot): void {
  for (const query of FIRST_QUERIES) fuzzysort.go(query, snapshot, { limit: 1, threshold: 0 });
}

function isFolder(path: string): boolean {
  return path.endsWith('/');
}

function isDirectlyIn(path: string, folder: string): boolean {
  if (!path.startsWith(folder) || path.length === folder.length) return false;
  const next = path.indexOf('/', folder.length);
  return next < 0 || next === path.length - 1;
}

function byName(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

function byLength(left: string, right: string): number {
  return left.length - right.length || byName(left, right);
}

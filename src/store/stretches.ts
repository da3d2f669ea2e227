/**
 * The held part of a long history as stretches that can be let go at either end and read again.
 * Invariants: the blocks of the history are those of the stretches, in order; the last stretch has all blocks
 * beyond those of the others, so it may grow; a closed stretch begins and ends where blocks do not join.
 */
import type { Block } from '../transcript/blocks.ts';

export interface Stretch {
  /** Cursors of its first and its last envelope; null while it has none. */
  readonly first: string | null;
  readonly last: string | null;
  /** IDs of its envelopes. */
  readonly ids: readonly string[];
}

interface Closed extends Stretch {
  readonly blocks: number;
}

interface Growing {
  first: string | null;
  last: string | null;
  readonly ids: string[];
}

const NOTHING: Stretch = { first: null, last: null, ids: [] };

/** About what one block takes beside its texts, in characters. */
const BLOCK_WEIGHT = 1_024;

/** What blocks take in memory, about, in characters. */
export function weightOf(blocks: readonly Block[]): number {
  return blocks.reduce((sum, block) => sum + BLOCK_WEIGHT + textsOf(block), 0);
}

function textsOf(block: Block): number {
  if (block.kind === 'tool') return block.title.length + block.output.length + block.diff.length;
  return 'text' in block ? block.text.length : 0;
}

export class Stretches {
  #closed: Closed[] = [];
  #last: Growing = growing(NOTHING);

  /** Only this one is held. */
  reset(only: Stretch = NOTHING): void {
    this.#closed = [];
    this.#last = growing(only);
  }

  /** Cursor of the first envelope that is held. */
  get first(): string | null {
    return this.#closed[0]?.first ?? this.#last.first;
  }

  /** Cursor of the last envelope that is held. */
  get last(): string | null {
    return this.#last.last ?? this.#closed.at(-1)?.last ?? null;
  }

  /** Envelopes in the stretch that still grows. */
  get growing(): number {
    return this.#last.ids.length;
  }

  get count(): number {
    return this.#closed.length + 1;
  }

  prepend(stretch: Stretch, blocks: number): void {
    this.#closed.unshift({ ...stretch, blocks });
  }

  /** An envelope joined the last stretch. */
  grow(cursor: string, id: string): void {
    this.#last.first ??= cursor;
    this.#last.last = cursor;
    this.#last.ids.push(id);
  }

  /** The last stretch grows no more: what comes next is another one. @param held all blocks of the history */
  close(held: number, next: Stretch = NOTHING): void {
    this.#closed.push({ ...this.#last, blocks: held - this.#closedBlocks() });
    this.#last = growing(next);
  }

  /** How many blocks the first stretch has. @param held all blocks of the history */
  firstBlocks(held: number): number {
    return this.#closed[0]?.blocks ?? held;
  }

  /** How many blocks the last stretch has. @param held all blocks of the history */
  lastBlocks(held: number): number {
    return held - this.#closedBlocks();
  }

  /** Lets the first stretch go; it must not be the only one. */
  dropFirst(): Stretch {
    return this.#closed.shift() ?? NOTHING;
  }

  /** Lets the last stretch go; it must not be the only one. */
  dropLast(): Stretch {
    const dropped = this.#last;
    this.#last = growing(this.#closed.pop() ?? NOTHING);
    return dropped;
  }

  #closedBlocks(): number {
    return this.#closed.reduce((sum, { blocks }) => sum + blocks, 0);
  }
}

function growing({ first, ids, last }: Stretch): Growing {
  return { first, last, ids: [...ids] };
}

/**
 * Where in the talk something is found: by block, off their texts, never off their rows.
 * Invariants: a block is searched once for a needle; a needle that was only written on is looked for only in the
 * blocks that held its beginning; asking again without a change costs nothing.
 */
import type { Block } from '../../transcript/blocks.ts';
import { countIn, type Needle, needleOf } from './needle.ts';

/** A block that holds the needle. */
export interface FoundBlock {
  readonly id: string;
  readonly count: number;
  /** Finds in the blocks before it. */
  readonly before: number;
}

export interface Found {
  readonly total: number;
  /** In the order of the talk. */
  readonly blocks: readonly FoundBlock[];
}

/** One find: the block and its place among those of the block, from 0. */
export interface FoundPlace {
  readonly block: string;
  readonly nth: number;
}

export const NOTHING_FOUND: Found = { total: 0, blocks: [] };

export class Finder {
  #needle = '';
  #counts = new WeakMap<Block, number>();
  #past: { readonly blocks: readonly Block[]; readonly found: Found } | null = null;
  #last: { readonly live: readonly Block[]; readonly found: Found } | null = null;

  /** Finds in settled blocks and those of the running turn behind them. */
  find(history: readonly Block[], live: readonly Block[], text: string): Found {
    const needle = needleOf(text);
    if (needle === null) return NOTHING_FOUND;
    const earlier = this.#renewed(needle);
    if (this.#past?.blocks !== history) {
      this.#past = { blocks: history, found: this.#search(history, needle, earlier, 0) };
      this.#last = null;
    }
    if (this.#last?.live === live) return this.#last.found;
    const { found } = this.#past;
    const more = this.#search(live, needle, earlier, found.total);
    const all =
      more.total === 0
        ? found
        : { total: found.total + more.total, blocks: [...found.blocks, ...more.blocks] };
    this.#last = { live, found: all };
    return all;
  }

  /** What was found for the beginning of the needle; null when it is another one or the same. */
  #renewed({ text }: Needle): WeakMap<Block, number> | null {
    if (text === this.#needle) return null;
    const earlier = this.#needle !== '' && text.startsWith(this.#needle) ? this.#counts : null;
    this.#needle = text;
    this.#counts = new WeakMap();
    this.#past = null;
    this.#last = null;
    return earlier;
  }

  #search(
    blocks: readonly Block[],
    needle: Needle,
    earlier: WeakMap<Block, number> | null,
    before: number,
  ): Found {
    const found: FoundBlock[] = [];
    let total = 0;
    for (const block of blocks) {
      const count = this.#countOf(block, needle, earlier);
      if (count > 0) found.push({ id: block.id, count, before: before + total });
      total += count;
    }
    return { total, blocks: found };
  }

  #countOf(block: Block, needle: Needle, earlier: WeakMap<Block, number> | null): number {
    const known = this.#counts.get(block);
    if (known !== undefined) return known;
    const count = earlier?.get(block) === 0 ? 0 : countIn(searchText(block), needle);
    this.#counts.set(block, count);
    return count;
  }
}

/** All that a block can show, in the order in which it shows it. */
export function searchText(block: Block): string {
  switch (block.kind) {
    case 'user':
    case 'answer':
    case 'thinking':
    case 'service':
      return block.text;
    case 'tool': {
      const args = Object.values(block.args ?? {}).map((value) =>
        typeof value === 'string' ? value : (JSON.stringify(value) ?? ''),
      );
      const called = args.filter((value) => !block.title.includes(value));
      const details = block.diff === '' ? [...called, block.output] : [block.diff];
      return [block.name, block.title, block.notice, ...details].join('\n');
    }
    case 'file':
      return block.name;
    case 'turn-end':
      return block.status === 'completed' ? '' : block.reason;
  }
}

/** The number of a find among all, from 1. */
export function numberOf(found: Found, { block, nth }: FoundPlace): number {
  const entry = found.blocks.find(({ id }) => id === block);
  return entry === undefined ? 0 : entry.before + Math.min(nth, entry.count - 1) + 1;
}

/** The find of a number from 1 on, going round at the ends. */
export function placeOf(found: Found, number: number): FoundPlace | null {
  if (found.total === 0) return null;
  const wanted = (((number - 1) % found.total) + found.total) % found.total;
  const entry = found.blocks.findLast(({ before }) => before <= wanted);
  return entry === undefined ? null : { block: entry.id, nth: wanted - entry.before };
}

/**
 * The rows behind a virtual list: many blocks, few of them on screen.
 *
 * Invariants
 * - A block's rows are asked for once for each (key, revision, width, theme) while they stay cached; its height
 *   is remembered also after its rows have left the cache.
 * - Anchored questions (`windowAt`, `bottom`, `move`) cost what they show, never what the list holds, and are
 *   exact: they measure only the blocks they pass.
 * - Absolute questions (`totalHeight`, `window`, `position`) measure every block not yet measured at this width,
 *   once; after that they cost O(log n) and the window.
 * - `append` and `replaceLast` are O(log n); `sync` compares blocks by identity and changes only the difference.
 */
import { Fenwick } from './fenwick.ts';
import type { Row } from './row.ts';

export interface RowBlock {
  /** Unique in the list, the same for the block's whole life. */
  readonly key: string;
  /** Differs whenever the block's rows may differ. */
  readonly revision: number | string;
}

export interface RowLayout {
  /** Cells. */
  readonly width: number;
  /** Differs whenever the same block may give other rows: theme, loaded grammars, folded details. */
  readonly theme: number | string;
}

/** A row of a block; it stays with its text while blocks around it change. */
export interface RowAnchor {
  readonly key: string;
  readonly row: number;
}

export interface WindowRow {
  readonly key: string;
  /** Index of this row within its block. */
  readonly row: number;
  readonly content: Row;
}

interface Entry<B> {
  block: B;
  measured: boolean;
}

interface Place {
  readonly index: number;
  readonly row: number;
}

export type RowsOf<B> = (block: B, width: number) => readonly Row[];

export interface RowIndexOptions {
  /** Rows that may stay cached while off screen. */
  readonly cachedRows: number;
}

const DEFAULTS: RowIndexOptions = { cachedRows: 20_000 };

export class RowIndex<B extends RowBlock> {
  readonly #rowsOf: RowsOf<B>;
  readonly #cache: RowCache;
  readonly #indexOf = new Map<string, number>();
  #entries: Entry<B>[] = [];
  /** Measured heights; a block not measured yet counts with its last known height or 1. */
  #heights = new Fenwick();
  /** Every entry below this index is measured. */
  #measuredTo = 0;
  #layout: RowLayout;

  constructor(rowsOf: RowsOf<B>, layout: RowLayout, options: RowIndexOptions = DEFAULTS) {
    this.#rowsOf = rowsOf;
    this.#layout = layout;
    this.#cache = new RowCache(options.cachedRows);
  }

  /** Number of blocks. */
  get length(): number {
    return this.#entries.length;
  }

  /** Sets width and theme; blocks are measured again as they are needed. */
  setLayout(layout: RowLayout): void {
    if (layout.width === this.#layout.width && layout.theme === this.#layout.theme) return;
    this.#layout = layout;
    this.#cache.clear();
    for (const entry of this.#entries) entry.measured = false;
    this.#measuredTo = 0;
  }

  /** The block of a key, or undefined when it is not in the list. */
  get(key: string): B | undefined {
    return this.#entries[this.indexOf(key)]?.block;
  }

  /** The place of a block in the list, or -1. */
  indexOf(key: string): number {
    return this.#indexOf.get(key) ?? -1;
  }

  /** All rows of a block; none when it is not in the list. */
  rowsOf(key: string): readonly Row[] {
    const index = this.indexOf(key);
    const entry = this.#entries[index];
    return entry === undefined ? [] : this.#rows(index, entry);
  }

  /** Asks for a block's rows again: they may have changed although the block has not. */
  touch(key: string): void {
    const index = this.indexOf(key);
    const entry = this.#entries[index];
    if (entry === undefined) return;
    this.#cache.delete(key);
    entry.measured = false;
    this.#measuredTo = Math.min(this.#measuredTo, index);
  }

  append(block: B): void {
    this.#indexOf.set(block.key, this.#entries.length);
    this.#entries.push({ block, measured: false });
    this.#heights.push(1);
  }

  /** Puts a block in place of the last one, which may have the same key and another revision. */
  replaceLast(block: B): void {
    if (this.length === 0) this.append(block);
    else this.#replace(this.length - 1, block);
  }

  /**
   * Takes the whole list as it is now. The cost beyond comparing is that of the changed blocks.
   * @param from blocks before this place are known to be as they were
   */
  sync(blocks: readonly B[], from = 0): void {
    if (from === 0) this.#moveTop(blocks);
    while (this.length > blocks.length) this.#removeLast();
    for (let index = from; index < blocks.length; index += 1) {
      const block = blocks[index];
      const entry = this.#entries[index];
      if (block === undefined) break;
      if (entry === undefined) this.append(block);
      else if (entry.block !== block) this.#replace(index, block);
    }
  }

  /** Height of all blocks, in rows. */
  totalHeight(): number {
    this.#measureAll();
    return this.#heights.total;
  }

  /** Height as far as it is known without measuring, for a scroll bar. */
  estimatedHeight(): number {
    return this.#heights.total;
  }

  /** Rows above the anchor as far as they are known without measuring. */
  estimatedPosition(anchor: RowAnchor): number {
    const place = this.#placeOf(anchor);
    return place === null ? 0 : this.#heights.sumBefore(place.index) + place.row;
  }

  /** `height` rows from the absolute row `top` on; fewer at the end. */
  window(top: number, height: number): WindowRow[] {
    const anchor = this.at(Math.max(0, top));
    return anchor === null ? [] : this.windowAt(anchor, height);
  }

  /** The block row at an absolute row, or null outside the list. */
  at(row: number): RowAnchor | null {
    this.#measureAll();
    if (row < 0 || row >= this.#heights.total) return null;
    const index = this.#heights.find(row);
    const entry = this.#entries[index];
    return entry === undefined ? null : { key: entry.block.key, row: row - this.#heights.sumBefore(index) };
  }

  /** The absolute row of an anchor, or null when its block is gone. */
  position(anchor: RowAnchor): number | null {
    this.#measureAll();
    const place = this.#placeOf(anchor);
    return place === null ? null : this.#heights.sumBefore(place.index) + place.row;
  }

  /** `height` rows from the anchor on; fewer at the end; none when its block is gone. */
  windowAt(anchor: RowAnchor, height: number): WindowRow[] {
    const rows: WindowRow[] = [];
    const place = this.#placeOf(anchor);
    if (place === null) return rows;
    let from = place.row;
    for (let index = place.index; rows.length < height; index += 1) {
      const entry = this.#entries[index];
      if (entry === undefined) break;
      const content = this.#rows(index, entry);
      for (let row = from; row < content.length && rows.length < height; row += 1) {
        const line = content[row];
        if (line !== undefined) rows.push({ key: entry.block.key, row, content: line });
      }
      from = 0;
    }
    return rows;
  }

  /** The anchor of a window of `height` rows that ends with the list; null for a list without rows. */
  bottom(height: number): RowAnchor | null {
    return this.#anchor(this.#back({ index: this.length, row: 0 }, Math.max(1, height)));
  }

  /** The anchor `by` rows further down (or up, below 0), kept within the list; null when its block is gone. */
  move(anchor: RowAnchor, by: number): RowAnchor | null {
    const place = this.#placeOf(anchor);
    if (place === null) return null;
    return this.#anchor(by < 0 ? this.#back(place, -by) : this.#forth(place, by));
  }

  /** Rows below the anchor's row, counted up to `limit`: enough to know whether a window has reached the end. */
  rowsBelow(anchor: RowAnchor, limit: number): number {
    const place = this.#placeOf(anchor);
    if (place === null) return 0;
    let below = -place.row - 1;
    for (let index = place.index; index < this.length && below < limit; index += 1) {
      below += this.#height(index);
    }
    return Math.max(0, Math.min(below, limit));
  }

  /** Rows above the anchor, counted up to `limit`: enough to know whether a window is near the start. */
  rowsAbove(anchor: RowAnchor, limit: number): number {
    const place = this.#placeOf(anchor);
    if (place === null) return 0;
    let above = place.row;
    for (let index = place.index - 1; index >= 0 && above < limit; index -= 1) above += this.#height(index);
    return Math.min(above, limit);
  }

  #back(from: Place, by: number): Place {
    let { index, row } = from;
    let left = by;
    while (left > row && index > 0) {
      left -= row;
      index -= 1;
      row = this.#height(index);
    }
    return { index, row: Math.max(0, row - left) };
  }

  #forth(from: Place, by: number): Place {
    let { index, row } = from;
    let left = by;
    while (index < this.length) {
      const height = this.#height(index);
      if (row + left < height) return { index, row: row + left };
      left -= height - row;
      index += 1;
      row = 0;
    }
    return this.#back({ index: this.length, row: 0 }, 1);
  }

  /** The anchor of the first row at or after a place, or else of the last one before it. */
  #anchor(place: Place): RowAnchor | null {
    let { index, row } = place;
    while (index < this.length && row >= this.#height(index)) {
      index += 1;
      row = 0;
    }
    const entry = this.#entries[index];
    return entry === undefined ? null : { key: entry.block.key, row };
  }

  /** Where the anchor is now; a row that its block no longer has becomes the block's last. */
  #placeOf(anchor: RowAnchor): Place | null {
    const index = this.#indexOf.get(anchor.key);
    if (index === undefined) return null;
    return { index, row: Math.max(0, Math.min(anchor.row, this.#height(index) - 1)) };
  }

  #height(index: number): number {
    const entry = this.#entries[index];
    if (entry !== undefined && !entry.measured) this.#rows(index, entry);
    return this.#heights.at(index);
  }

  #rows(index: number, entry: Entry<B>): readonly Row[] {
    const { key } = entry.block;
    const cached = this.#cache.get(key);
    if (cached !== undefined) return cached;
    const rows = this.#rowsOf(entry.block, this.#layout.width);
    this.#cache.set(key, rows);
    this.#heights.set(index, rows.length);
    entry.measured = true;
    return rows;
  }

  #measureAll(): void {
    while (this.#measuredTo < this.length) {
      this.#height(this.#measuredTo);
      this.#measuredTo += 1;
    }
  }

  #replace(index: number, block: B): void {
    const entry = this.#entries[index];
    if (entry === undefined) return;
    const old = entry.block;
    entry.block = block;
    if (old.key === block.key && old.revision === block.revision) return;
    if (old.key !== block.key) {
      if (this.#indexOf.get(old.key) === index) this.#indexOf.delete(old.key);
      this.#indexOf.set(block.key, index);
    }
    this.#cache.delete(old.key);
    this.#cache.delete(block.key);
    entry.measured = false;
    this.#measuredTo = Math.min(this.#measuredTo, index);
  }

  #removeLast(): void {
    const entry = this.#entries.pop();
    if (entry === undefined) return;
    this.#heights.pop();
    if (this.#indexOf.get(entry.block.key) === this.length) this.#indexOf.delete(entry.block.key);
    this.#cache.delete(entry.block.key);
    this.#measuredTo = Math.min(this.#measuredTo, this.length);
  }

  /** Pages of history that came in at the top, or were let go there: the blocks that stay keep rows and heights. */
  #moveTop(blocks: readonly B[]): void {
    const [first, top] = [this.#entries[0]?.block.key, blocks[0]?.key];
    if (first === undefined || top === undefined || top === first) return;
    const gone = this.#indexOf.get(top);
    const inserted = gone === undefined ? blocks.findIndex((block) => block.key === first) : 0;
    if (gone !== undefined) this.#rebuild([], gone);
    else if (inserted > 0) this.#rebuild(blocks.slice(0, inserted), 0);
  }

  #rebuild(added: readonly B[], gone: number): void {
    for (const { block } of this.#entries.slice(0, gone)) {
      this.#cache.delete(block.key);
      this.#indexOf.delete(block.key);
    }
    const heights = this.#entries.map((_, index) => this.#heights.at(index)).slice(gone);
    this.#entries = [
      ...added.map((block): Entry<B> => ({ block, measured: false })),
      ...this.#entries.slice(gone),
    ];
    this.#heights = new Fenwick([...added.map(() => 1), ...heights]);
    this.#measuredTo = 0;
    for (const [index, entry] of this.#entries.entries()) this.#indexOf.set(entry.block.key, index);
  }
}

/** Rows by block, the longest unused dropped first once there are too many. */
class RowCache {
  readonly #limit: number;
  readonly #rows = new Map<string, readonly Row[]>();
  #size = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get(key: string): readonly Row[] | undefined {
    const rows = this.#rows.get(key);
    if (rows === undefined) return undefined;
    this.#rows.delete(key);
    this.#rows.set(key, rows);
    return rows;
  }

  set(key: string, rows: readonly Row[]): void {
    this.delete(key);
    this.#rows.set(key, rows);
    this.#size += rows.length;
    for (const oldest of this.#rows.keys()) {
      if (this.#size <= this.#limit || oldest === key) break;
      this.delete(oldest);
    }
  }

  delete(key: string): void {
    this.#size -= this.#rows.get(key)?.length ?? 0;
    this.#rows.delete(key);
  }

  clear(): void {
    this.#rows.clear();
    this.#size = 0;
  }
}

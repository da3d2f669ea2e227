/**
 * The talk as rows: which of them the reader sees, and where the reader goes from there.
 * Invariants: a reader who left the end stays at the same row of the same block while blocks come and grow;
 * the answer that is being written is parsed from its unsettled tail on only.
 */

import { highlightRevision } from '../render/highlight.ts';
import { MarkdownStream } from '../render/markdown-stream.ts';
import { BLANK_ROW, type Row } from '../render/row.ts';
import { type RowAnchor, type RowBlock, RowIndex } from '../render/row-index.ts';
import type { State } from '../store/state.ts';
import type { AnswerBlock, Block } from '../transcript/blocks.ts';
import { Finder, type Found } from './reading/finder.ts';
import { foldOf, isHidden } from './reading/folds.ts';
import { changedBlocks, NO_LOOK, type TalkLook } from './reading/talk-look.ts';
import { answerRows, blockRows, sticksTogether } from './rows/block-rows.ts';
import { unreadRow } from './rows/unread-row.ts';
import type { Scroll } from './view.ts';

export interface TalkArea {
  /** Cells. */
  readonly width: number;
  /** Rows. */
  readonly height: number;
  /** What the reader has folded and seen; nothing when absent. */
  readonly look?: TalkLook;
}

/** Where a visible row comes from. */
export interface TalkPlace {
  readonly block: Block;
  /** Index within the block's own rows; below 0 for what stands in front of it. */
  readonly row: number;
}

export interface TalkWindow {
  readonly rows: readonly Row[];
  /** Of each row. */
  readonly places: readonly TalkPlace[];
  /** Rows below the window; counted up to a few thousand. */
  readonly below: number;
  /** Those of them that came since the reader left the end. */
  readonly fresh: number;
  /** Newer messages that are not held lie below those rows. */
  readonly isCut: boolean;
  /** Rows above the window and of all the talk, as far as they are known without measuring everything. */
  readonly top: number;
  readonly total: number;
}

/** At which ends of what is held more is wanted. */
export interface TalkReach {
  readonly above: boolean;
  readonly below: boolean;
}

/** A row of a block that should be seen; all of its rows for null. */
export interface RevealTarget {
  readonly block: string;
  readonly row: number | null;
}

interface Entry extends RowBlock {
  readonly block: Block;
  /** A blank row stands in front. */
  readonly apart: boolean;
}

const COUNT_LIMIT = 9_999;
/** Blocks between the reader and an end of what is held at which more is read: several screens, without measuring them. */
const BLOCKS_AHEAD = 64;
/** Further down than any row. */
const LAST_ROW = Number.MAX_SAFE_INTEGER;
const NO_BLOCKS: readonly Block[] = [];

export class Talk {
  readonly #index = new RowIndex<Entry>((entry, width) => this.#rowsOf(entry, width), {
    width: 80,
    theme: 0,
  });
  readonly #finder = new Finder();
  #look = NO_LOOK;
  readonly #entries: Entry[] = [];
  #known = new WeakMap<Block, Entry>();
  #history: readonly Block[] = NO_BLOCKS;
  #live: readonly Block[] = NO_BLOCKS;
  /** Older messages than the held ones are known of, or the beginning is told. */
  #hasAbove = false;
  /** Newer messages than the held ones were let go. */
  #isCut = false;
  #writing: { readonly id: string; readonly stream: MarkdownStream; length: number } | null = null;

  /** What is seen from a place. */
  window(state: State, scroll: Scroll, area: TalkArea): TalkWindow {
    this.#sync(state, area);
    const anchor = this.#anchorOf(scroll, area.height);
    if (anchor === null) return { rows: [], places: [], below: 0, fresh: 0, isCut: false, top: 0, total: 0 };
    const rows = this.#index.windowAt(anchor, area.height);
    const last = rows.at(-1);
    const below = last === undefined ? 0 : this.#index.rowsBelow(last, COUNT_LIMIT);
    const seen = scroll.kind === 'at' ? scroll.seen : null;
    return {
      rows: rows.map((row) => row.content),
      places: rows.flatMap(({ key, row }) => this.#placeOf(key, row)),
      below,
      fresh: seen === null ? 0 : Math.min(below, this.#index.rowsBelow(seen, COUNT_LIMIT)),
      isCut: this.#isCut,
      top: this.#index.estimatedPosition(anchor),
      total: this.#index.estimatedHeight(),
    };
  }

  /** The place a number of rows further down, or up when negative; the end is followed again once it is reached. */
  scrolled(state: State, scroll: Scroll, area: TalkArea, by: number): Scroll {
    this.#sync(state, area);
    const anchor = this.#anchorOf(scroll, area.height);
    if (anchor === null) return { kind: 'tail' };
    const moved = this.#index.move(anchor, Math.max(by, -Number.MAX_SAFE_INTEGER));
    return this.#placeAt(moved, area.height, scroll);
  }

  /** The place of the question before or after the first visible row. */
  turn(state: State, scroll: Scroll, area: TalkArea, direction: 'before' | 'after'): Scroll {
    this.#sync(state, area);
    const anchor = this.#anchorOf(scroll, area.height);
    if (anchor === null) return { kind: 'tail' };
    const here = this.#index.indexOf(anchor.key);
    const isQuestion = (entry: Entry): boolean => entry.block.kind === 'user';
    const before = anchor.row > 0 ? here + 1 : here;
    const found =
      direction === 'before'
        ? this.#entries.slice(0, before).findLast(isQuestion)
        : this.#entries.slice(here + 1).find(isQuestion);
    if (found !== undefined) return this.#placeAt({ key: found.key, row: 0 }, area.height, scroll);
    if (direction === 'after' && !this.#isCut) return { kind: 'tail' };
    return this.scrolled(state, scroll, area, direction === 'after' ? LAST_ROW : Number.NEGATIVE_INFINITY);
  }

  /** Whether the reader is so near to an end of what is held that more is wanted there. */
  reach(state: State, scroll: Scroll, area: TalkArea): TalkReach {
    this.#sync(state, area);
    const anchor = this.#anchorOf(scroll, area.height);
    if (anchor === null) return { above: true, below: true };
    const isAtTop = this.#index.rowsAbove(anchor, 1) === 0;
    if (scroll.kind === 'tail') return { above: isAtTop, below: true };
    const here = this.#index.indexOf(anchor.key);
    return {
      above: isAtTop || here < BLOCKS_AHEAD,
      below: this.#index.length - here <= BLOCKS_AHEAD,
    };
  }

  /** Makes the rows of the next page either way, so that they are there when it is turned to. */
  prepare(state: State, scroll: Scroll, area: TalkArea): void {
    this.#sync(state, area);
    const anchor = this.#anchorOf(scroll, area.height);
    if (anchor === null) return;
    this.#index.rowsAbove(anchor, area.height);
    this.#index.rowsBelow(anchor, 2 * area.height);
  }

  /** The place from which a row of a block is seen, as near to the present one as can be; the row is counted in the block's own rows. */
  revealed(state: State, scroll: Scroll, area: TalkArea, { block, row }: RevealTarget): Scroll {
    this.#sync(state, area);
    const entry = this.#index.get(block);
    const anchor = this.#anchorOf(scroll, area.height);
    if (entry === undefined || anchor === null) return scroll;
    const lead = this.#lead(entry);
    const rows = this.#index.rowsOf(block).length - lead;
    const first = { key: block, row: lead + (row ?? 0) };
    const isTall = row === null && rows > area.height;
    const last = row === null ? lead + rows - 1 : first.row;
    const shown = this.#index.windowAt(anchor, area.height).filter(({ key }) => key === block);
    const isSeen = isTall
      ? shown.length >= area.height - 1
      : [first.row, last].every((at) => shown.some((seen) => seen.row === at));
    if (isSeen) return scroll;
    const below = Math.max(0, area.height - rows);
    const above = isTall || this.#isAbove(first, anchor) ? Math.min(1, below) : below;
    const lines = row === null ? above : Math.floor(area.height / 2);
    return this.#placeAt(this.#index.move(first, -lines), area.height, scroll);
  }

  /** The block before or after another one that shows something; the last one in the window for null. */
  neighbour(
    state: State,
    scroll: Scroll,
    area: TalkArea,
    step: { readonly from: string | null; readonly by: 1 | -1; readonly wanted?: (block: Block) => boolean },
  ): Block | null {
    const { from, by, wanted = () => true } = step;
    if (from === null)
      return this.window(state, scroll, area).places.findLast(({ row }) => row >= 0)?.block ?? null;
    this.#sync(state, area);
    const start = this.#index.indexOf(from);
    if (start < 0) return null;
    for (let index = start + by; ; index += by) {
      const entry = this.#entries[index];
      if (entry === undefined) return null;
      if (wanted(entry.block) && this.#index.rowsOf(entry.key).length > 0) return entry.block;
    }
  }

  /** The first or last block that shows something. */
  edge(state: State, area: TalkArea, which: 'first' | 'last'): Block | null {
    this.#sync(state, area);
    const shows = ({ key }: Entry): boolean => this.#index.rowsOf(key).length > 0;
    const entry = which === 'first' ? this.#entries.find(shows) : this.#entries.findLast(shows);
    return entry?.block ?? null;
  }

  /** How many blocks one stands below another one; below 0 when it stands above. */
  order(block: string, other: string): number {
    return this.#index.indexOf(block) - this.#index.indexOf(other);
  }

  /** The blocks from one to another one, whichever stands first. */
  between(one: string, other: string): readonly Block[] {
    const places = [this.#index.indexOf(one), this.#index.indexOf(other)];
    return this.#entries.slice(Math.min(...places), Math.max(...places) + 1).map(({ block }) => block);
  }

  /** Where a text is found in the talk, as far as it is loaded. */
  found(state: State, text: string): Found {
    return this.#finder.find(state.history, state.live?.blocks ?? NO_BLOCKS, text);
  }

  /** A block by its ID; null when it is not in the talk. */
  block(id: string): Block | null {
    return this.#index.get(id)?.block ?? null;
  }

  /** The rows of a block as they stand in the talk, without what stands in front of it. */
  rows(state: State, area: TalkArea, id: string): readonly Row[] {
    this.#sync(state, area);
    const entry = this.#index.get(id);
    return entry === undefined ? [] : this.#index.rowsOf(id).slice(this.#lead(entry));
  }

  /** Whether a place lies before another one. */
  #isAbove(place: RowAnchor, other: RowAnchor): boolean {
    const [at, from] = [this.#index.indexOf(place.key), this.#index.indexOf(other.key)];
    return at < from || (at === from && place.row < other.row);
  }

  /** Rows in front of a block: a blank one, the line of what is new. */
  #lead(entry: Entry): number {
    return (entry.apart ? 1 : 0) + (this.#look.unread === entry.key ? 1 : 0);
  }

  #placeOf(key: string, row: number): readonly TalkPlace[] {
    const entry = this.#index.get(key);
    return entry === undefined ? [] : [{ block: entry.block, row: row - this.#lead(entry) }];
  }

  /** What the reader has seen up to when the end is left: up to the last row. */
  #placeAt(anchor: RowAnchor | null, height: number, from: Scroll): Scroll {
    if (anchor === null) return { kind: 'tail' };
    if (this.#index.rowsBelow(anchor, height) < height) {
      if (!this.#isCut) return { kind: 'tail' };
      const bottom = this.#index.bottom(height) ?? anchor;
      return { kind: 'at', block: bottom.key, row: bottom.row, seen: null };
    }
    const seen = from.kind === 'at' ? from.seen : this.#index.bottom(1);
    return { kind: 'at', block: anchor.key, row: anchor.row, seen };
  }

  #anchorOf(scroll: Scroll, height: number): RowAnchor | null {
    const bottom = this.#index.bottom(height);
    if (scroll.kind === 'tail') return bottom;
    const anchor = this.#index.move({ key: scroll.block, row: scroll.row }, 0);
    return anchor === null || this.#index.rowsBelow(anchor, height) < height - 1 ? bottom : anchor;
  }

  #sync(state: State, { look = NO_LOOK, width }: TalkArea): void {
    this.#index.setLayout({ width, theme: `${highlightRevision()} ${look.folds.thinking}` });
    this.#relook(look);
    const { edges, history } = state;
    // Where the held part does not reach the present, what comes next is not known.
    const live = edges.below === 'end' ? (state.live?.blocks ?? NO_BLOCKS) : NO_BLOCKS;
    const hasAbove = edges.above !== 'none';
    this.#isCut = edges.below !== 'end';
    const isSettled = history === this.#history && hasAbove === this.#hasAbove;
    if (isSettled && live === this.#live) return;
    const from = isSettled ? history.length + sameStart(this.#live, live) : 0;
    this.#history = history;
    this.#live = live;
    this.#hasAbove = hasAbove;
    this.#entries.length = from;
    for (let index = from; index < history.length + live.length; index += 1) {
      const block = index < history.length ? history[index] : live[index - history.length];
      if (block !== undefined) this.#entries.push(this.#entryOf(block, this.#entries.at(-1)?.block ?? null));
    }
    this.#index.sync(this.#entries, from);
  }

  /** Only the blocks that were folded or unfolded are asked again. */
  #relook(look: TalkLook): void {
    if (look === this.#look) return;
    const changed = changedBlocks(this.#look, look);
    this.#look = look;
    for (const id of changed) {
      this.#index.touch(id);
      this.#touchBelow(id);
    }
  }

  /** What stands behind the card of a task comes and goes with its fold. */
  #touchBelow(card: string): void {
    const place = this.#index.indexOf(card);
    if (place < 0) return;
    for (let index = place + 1; ; index += 1) {
      const block = this.#entries[index]?.block;
      if (block?.kind !== 'tool' || block.under?.includes(card) !== true) return;
      this.#index.touch(block.id);
    }
  }

  #entryOf(block: Block, before: Block | null): Entry {
    // The first row must not move when a page comes in above it.
    const apart = before === null ? this.#hasAbove : !sticksTogether(before, block);
    const known = this.#known.get(block);
    if (known?.apart === apart) return known;
    // Texts only grow, but two readings of one text may count its revisions differently.
    const size = 'text' in block ? block.text.length : 0;
    const revision = `${block.revision}:${size}${apart ? '+' : ''}`;
    const entry: Entry = { key: block.id, revision, block, apart };
    this.#known.set(block, entry);
    return entry;
  }

  #rowsOf({ block, apart }: Entry, width: number): readonly Row[] {
    if (isHidden(block, this.#look.folds)) return [];
    const answer = block.kind === 'answer' && block.open ? this.#writingRows(block, width) : null;
    const front = [
      ...(apart ? [BLANK_ROW] : []),
      ...(this.#look.unread === block.id ? [unreadRow(width)] : []),
    ];
    return blockRows(block, { width, front, answer, fold: foldOf(block, this.#look.folds) });
  }

  /** Rows of the answer that still grows: only what was added since the last time is parsed. */
  #writingRows(block: AnswerBlock, width: number): readonly Row[] {
    const text = block.text.replace(/^\n+/, '');
    if (this.#writing === null || this.#writing.id !== block.id || this.#writing.length > text.length)
      this.#writing = { id: block.id, stream: new MarkdownStream(), length: 0 };
    this.#writing.stream.append(text.slice(this.#writing.length));
    this.#writing.length = text.length;
    return answerRows(this.#writing.stream.rows(Math.max(2, width - 2)));
  }
}

/** How many blocks at the start of two lists are the very same. */
function sameStart(left: readonly Block[], right: readonly Block[]): number {
  let same = 0;
  while (same < left.length && left[same] === right[same]) same += 1;
  return same;
}

/**
 * The talk as rows: which of them the reader sees, and where the reader goes from there.
 * Invariants: a reader who left the end stays at the same row of the same block while blocks come and grow;
 * the answer that is being written is parsed from its unsettled tail on only.
 */

import { highlightRevision } from '../render/highlight.ts';
import { MarkdownStream } from '../render/markdown-stream.ts';
import type { Row } from '../render/row.ts';
import { type RowAnchor, type RowBlock, RowIndex } from '../render/row-index.ts';
import type { State } from '../store/state.ts';
import type { AnswerBlock, Block } from '../transcript/blocks.ts';
import { answerRows, blockRows, sticksTogether } from './rows/block-rows.ts';
import type { Scroll } from './view.ts';

export interface TalkArea {
  /** Cells. */
  readonly width: number;
  /** Rows. */
  readonly height: number;
}

export interface TalkWindow {
  readonly rows: readonly Row[];
  /** Rows below the window; counted up to a few thousand. */
  readonly below: number;
  /** Rows above the window and of all the talk, as far as they are known without measuring everything. */
  readonly top: number;
  readonly total: number;
}

interface Entry extends RowBlock {
  readonly block: Block;
  /** A blank row stands in front. */
  readonly apart: boolean;
}

const COUNT_LIMIT = 9_999;

export class Talk {
  readonly #index = new RowIndex<Entry>((entry, width) => this.#rowsOf(entry, width), {
    width: 80,
    theme: 0,
  });
  #entries: readonly Entry[] = [];
  #known = new WeakMap<Block, Entry>();
  #history: readonly Block[] | null = null;
  #live: readonly Block[] | null = null;
  #writing: { readonly id: string; readonly stream: MarkdownStream; length: number } | null = null;

  /** What is seen from a place. */
  window(state: State, scroll: Scroll, area: TalkArea): TalkWindow {
    this.#sync(state, area.width);
    const anchor = this.#anchorOf(scroll, area.height);
    if (anchor === null) return { rows: [], below: 0, top: 0, total: 0 };
    const rows = this.#index.windowAt(anchor, area.height);
    const last = rows.at(-1);
    return {
      rows: rows.map((row) => row.content),
      below: last === undefined ? 0 : this.#index.rowsBelow({ key: last.key, row: last.row }, COUNT_LIMIT),
      top: this.#index.estimatedPosition(anchor),
      total: this.#index.estimatedHeight(),
    };
  }

  /** The place a number of rows further down, or up when negative; the end is followed again once it is reached. */
  scrolled(state: State, scroll: Scroll, area: TalkArea, by: number): Scroll {
    this.#sync(state, area.width);
    const anchor = this.#anchorOf(scroll, area.height);
    if (anchor === null) return { kind: 'tail' };
    return this.#placeAt(this.#index.move(anchor, Math.max(by, -Number.MAX_SAFE_INTEGER)), area.height);
  }

  /** The place of the question before or after the first visible row. */
  turn(state: State, scroll: Scroll, area: TalkArea, direction: 'before' | 'after'): Scroll {
    this.#sync(state, area.width);
    const anchor = this.#anchorOf(scroll, area.height);
    if (anchor === null) return { kind: 'tail' };
    const here = this.#entries.findIndex((entry) => entry.key === anchor.key);
    const isQuestion = (entry: Entry): boolean => entry.block.kind === 'user';
    const before = anchor.row > 0 ? here + 1 : here;
    const found =
      direction === 'before'
        ? this.#entries.slice(0, before).findLast(isQuestion)
        : this.#entries.slice(here + 1).find(isQuestion);
    if (found !== undefined) return this.#placeAt({ key: found.key, row: 0 }, area.height);
    return direction === 'after'
      ? { kind: 'tail' }
      : this.scrolled(state, scroll, area, Number.NEGATIVE_INFINITY);
  }

  #placeAt(anchor: RowAnchor | null, height: number): Scroll {
    if (anchor === null) return { kind: 'tail' };
    if (this.#index.rowsBelow(anchor, height) < height) return { kind: 'tail' };
    return { kind: 'at', block: anchor.key, row: anchor.row };
  }

  #anchorOf(scroll: Scroll, height: number): RowAnchor | null {
    const bottom = this.#index.bottom(height);
    if (scroll.kind === 'tail') return bottom;
    const anchor = this.#index.move({ key: scroll.block, row: scroll.row }, 0);
    return anchor === null || this.#index.rowsBelow(anchor, height) < height - 1 ? bottom : anchor;
  }

  #sync(state: State, width: number): void {
    this.#index.setLayout({ width, theme: highlightRevision() });
    const live = state.live?.blocks ?? null;
    if (state.history === this.#history && live === this.#live) return;
    this.#history = state.history;
    this.#live = live;
    const blocks = live === null ? state.history : [...state.history, ...live];
    this.#entries = blocks.map((block, index) => this.#entryOf(block, blocks[index - 1] ?? null));
    this.#index.sync(this.#entries);
  }

  #entryOf(block: Block, before: Block | null): Entry {
    const apart = before !== null && !sticksTogether(before, block);
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
    const rows = block.kind === 'answer' && block.open ? this.#writingRows(block, width) : null;
    return blockRows(block, { width, apart, answer: rows });
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

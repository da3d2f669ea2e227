/** Reading a session's history and comparing it with what was shown (PROTOCOL.md, "Replay"). */
import type { Connection } from '../client/connection.ts';
import { collectMessages, replayPages } from '../client/replay.ts';
import { type Block, fold } from '../transcript/blocks.ts';
import {
  envelopesOfReplay,
  REPLAY_START,
  type ReplayItem,
  type ReplayPosition,
} from '../transcript/from-wire.ts';
import type { ReplayEvent } from '../wire/session.ts';

/** Where reading goes on: everything up to `cursor` was accepted. */
export interface HistoryPlace {
  readonly cursor: string | null;
  readonly position: ReplayPosition;
}

export const HISTORY_START: HistoryPlace = { cursor: null, position: REPLAY_START };

export interface HistoryRead {
  readonly blocks: readonly Block[];
  readonly place: HistoryPlace;
  readonly gap: boolean;
  /** The place was no longer valid: `blocks` is the whole history. */
  readonly restarted: boolean;
}

/**
 * Everything after a place. While a turn runs, what it saved so far is left out:
 * the live text holds it whole.
 * @throws WireFailure when replay fails
 */
export async function readHistory(
  connection: Connection,
  sessionId: string,
  from: HistoryPlace,
  phase: 'settled' | 'running',
): Promise<HistoryRead> {
  let events: ReplayEvent[] = [];
  let gap = false;
  let restarted = false;
  for await (const page of replayPages(connection, sessionId, from.cursor)) {
    gap ||= page.gap;
    if (page.resync_required) {
      restarted = true;
      events = [];
      continue;
    }
    events.push(...page.events);
  }
  const start = restarted ? HISTORY_START : from;
  const all: readonly ReplayItem[] = collectMessages(events);
  const items = phase === 'running' ? withoutOpenTurn(all) : all;
  const { envelopes, position } = envelopesOfReplay(items, start.position);
  const cursor = items.at(-1)?.cursor ?? start.cursor;
  return { blocks: fold([], envelopes), place: { cursor, position }, gap, restarted };
}

/** Items up to and including the last question when no terminal follows it. */
function withoutOpenTurn(items: readonly ReplayItem[]): readonly ReplayItem[] {
  const lastUser = items.findLastIndex((item) => item.kind === 'message' && item.role === 'user');
  const closed = items.slice(lastUser + 1).some((item) => item.kind === 'terminal');
  return closed ? items : items.slice(0, lastUser + 1);
}

export type Verdict =
  /** The same words were shown and saved. */
  | 'equal'
  /** Everything saved was shown, and more. */
  | 'shown-more'
  | 'different';

/** Compares the words of what was shown with what was saved; white space between paragraphs does not count. */
export function compareWords(shown: readonly Block[], saved: readonly Block[]): Verdict {
  const shownWords = wordsOf(shown);
  const savedWords = wordsOf(saved);
  if (shownWords === savedWords) return 'equal';
  return shownWords.startsWith(savedWords) ? 'shown-more' : 'different';
}

function wordsOf(blocks: readonly Block[]): string {
  const words: string[] = [];
  for (const block of blocks) {
    if (block.kind === 'user') words.push('\u0001', block.text);
    else if (block.kind === 'answer') words.push(block.text);
  }
  return words.join(' ').replaceAll(/\s+/g, ' ').trim();
}

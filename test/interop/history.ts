/** Everything that pages hold. */
import type { Connection } from '../../src/client/connection.ts';
import { sessionPages } from '../../src/client/list.ts';
import { collectMessages, type HistoryItem, replayPages } from '../../src/client/replay.ts';
import type { ReplayResult, SessionSummary } from '../../src/wire/session.ts';

export async function allOf<T>(pages: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const one of pages) all.push(one);
  return all;
}

export async function listed(connection: Connection): Promise<SessionSummary[]> {
  return (await allOf(sessionPages(connection))).flatMap(({ sessions }) => sessions);
}

/** Replay from a cursor, or from the beginning. */
export function replayed(
  connection: Connection,
  sessionId: string,
  cursor: string | null = null,
): Promise<ReplayResult[]> {
  return allOf(replayPages(connection, sessionId, cursor));
}

export async function history(connection: Connection, sessionId: string): Promise<HistoryItem[]> {
  return collectMessages((await replayed(connection, sessionId)).flatMap(({ events }) => events));
}

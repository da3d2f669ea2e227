/** The promise that nothing typed is lost, as an interface: what is kept for one session between two runs. */
import type { OutboxItem } from './state.ts';

export interface Kept {
  readonly draft: string;
  readonly outbox: readonly OutboxItem[];
}

export const NOTHING_KEPT: Kept = { draft: '', outbox: [] };

export interface Keeper {
  /** What was kept under a key (a session ID, or `new` before there is one). Never throws: unreadable is nothing. */
  load(key: string): Kept;
  /** Keeps it durably. A failure is returned as a sentence for people, else null. */
  save(key: string, kept: Kept): string | null;
}

/** The draft with the messages that never went out in front of it: they were meant for another moment. */
export function keptDraft({ draft, outbox }: Kept): string {
  const unsent = outbox.filter((item) => item.instanceId === null).map((item) => item.text);
  return [...unsent, draft].filter((text) => text !== '').join('\n');
}

/** The promise that nothing typed is lost, as an interface: what is kept for one session between two runs. */
import type { AttachedFile, OutboxItem } from './state.ts';

export interface Kept {
  readonly draft: string;
  /** Files that go with the draft. */
  readonly attachments?: readonly AttachedFile[];
  readonly outbox: readonly OutboxItem[];
}

export const NOTHING_KEPT: Kept = { draft: '', outbox: [] };

export interface Keeper {
  /** What was kept under a key (a session ID, or `new` before there is one). Never throws: unreadable is nothing. */
  load(key: string): Kept;
  /** Keeps it durably. A failure is returned as a sentence for people, else null. */
  save(key: string, kept: Kept): string | null;
}

/** A message whose files cannot be kept names them. */
function withNames({ attachments = [], text }: OutboxItem): string {
  const names = attachments.filter(({ temporary }) => !temporary).map(({ path }) => `@${path}`);
  return [text, ...names].join('\n');
}

/** The draft with the messages that never went out in front of it: they were meant for another moment. */
export function keptDraft({ draft, outbox }: Kept): string {
  const unsent = outbox.filter((item) => item.instanceId === null).map(withNames);
  return [...unsent, draft].filter((text) => text !== '').join('\n');
}

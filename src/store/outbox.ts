/**
 * Messages on their way (PROTOCOL.md, "Operations and lookup").
 * Invariant: an item leaves only when the service is known to have it, or its text is back in the draft.
 */
import { byteLength } from '../wire/json.ts';
import { LIMITS } from '../wire/limits.ts';
import type { OutboxItem, State } from './state.ts';

export function queued(operationId: string, text: string): OutboxItem {
  return { operationId, text, state: 'queued', instanceId: null, after: 0 };
}

/** The next message to send, or null while one is on its way. */
export function nextToSend(outbox: readonly OutboxItem[]): OutboxItem | null {
  if (outbox.some((item) => item.state !== 'queued')) return null;
  return outbox[0] ?? null;
}

/** The outbox with one item changed. */
export function withItem(
  outbox: readonly OutboxItem[],
  operationId: string,
  change: Partial<Omit<OutboxItem, 'operationId'>>,
): readonly OutboxItem[] {
  return outbox.map((item) => (item.operationId === operationId ? { ...item, ...change } : item));
}

/** The state after items went back to the draft, in order, in front of whatever is there. */
export function backToDraft(state: State, items: readonly OutboxItem[]): State {
  if (items.length === 0) return state;
  const text = items.map((item) => item.text).join('\n');
  return {
    ...state,
    outbox: state.outbox.filter((item) => !items.includes(item)),
    returned: { serial: state.returned.serial + 1, text, place: 'before' },
  };
}

/** Why no turn can take a message (PROTOCOL.md, "Limits"), or null. */
export function tooLong(text: string): string | null {
  const bytes = byteLength(text);
  const limit = LIMITS.max_string_bytes;
  if (bytes <= limit) return null;
  const [has, may] = [bytes, limit].map((count) => count.toLocaleString('en'));
  return `Not sent. The message has ${has} bytes; a message may have ${may}. Shorten it, or put it in a file.`;
}

/**
 * Messages on their way (PROTOCOL.md, "Operations and lookup").
 * Invariant: an item leaves only when the service is known to have it, or its text is back in the draft.
 */
import { byteLength, encodedBytes } from '../wire/json.ts';
import { LIMITS } from '../wire/limits.ts';
import type { AttachedFile, OutboxItem, State } from './state.ts';
import { comesBack } from './updates.ts';

export function queued(
  operationId: string,
  text: string,
  attachments: readonly AttachedFile[] = [],
): OutboxItem {
  const item: OutboxItem = { operationId, text, state: 'queued', instanceId: null, after: 0 };
  return attachments.length === 0 ? item : { ...item, attachments };
}

/** The next message to send, or null while one is on its way. */
export function nextToSend(outbox: readonly OutboxItem[]): OutboxItem | null {
  if (outbox.some((item) => item.state !== 'queued')) return null;
  return outbox[0] ?? null;
}

/** The newest message that nobody has begun to send, or null. @param sending operation ID of the one that is being sent */
export function newestQueued(outbox: readonly OutboxItem[], sending: string | null): OutboxItem | null {
  return outbox.findLast((item) => item.state === 'queued' && item.operationId !== sending) ?? null;
}

/** The outbox with one item changed. */
export function withItem(
  outbox: readonly OutboxItem[],
  operationId: string,
  change: Partial<Omit<OutboxItem, 'operationId'>>,
): readonly OutboxItem[] {
  return outbox.map((item) => (item.operationId === operationId ? { ...item, ...change } : item));
}

/** The state without an item. */
export function withoutItem(state: State, item: OutboxItem): State {
  return { ...state, outbox: state.outbox.filter((entry) => entry !== item) };
}

/** The state after items went back to the draft, in order, in front of whatever is there. */
export function backToDraft(state: State, items: readonly OutboxItem[]): State {
  if (items.length === 0) return state;
  const text = items.map((item) => item.text).join('\n');
  const attachments = items.flatMap((item) => item.attachments ?? []);
  return comesBack({ text, place: 'before', attachments })({
    ...state,
    outbox: state.outbox.filter((item) => !items.includes(item)),
  });
}

/** What stands in a payload beside the message: its members, and the references of its files, bytes. */
const BESIDE_BYTES = 1_024;

/**
 * Bytes that a message may still grow by, negative when no turn can take it (PROTOCOL.md, "Limits"): as text, and as it
 * is written on the wire, where a line feed or a quote takes two.
 */
export function roomLeft(text: string): number {
  const asText = LIMITS.max_string_bytes - byteLength(text);
  if (asText < 0) return asText;
  return Math.min(asText, LIMITS.max_payload_bytes - BESIDE_BYTES - encodedBytes(text));
}

/** Why no turn can take a message, or null. */
export function tooLong(text: string): string | null {
  const room = roomLeft(text);
  if (room >= 0) return null;
  const bytes = byteLength(text);
  const limit = LIMITS.max_string_bytes;
  const [has, may, over] = [bytes, limit, -room].map((count) => count.toLocaleString('en'));
  const why =
    bytes > limit
      ? `The message has ${has} bytes; a message may have ${may}.`
      : `On the wire the message is ${over} bytes too long: line ends and quotes count twice.`;
  return `Not sent. ${why} Shorten it, or put it in a file.`;
}

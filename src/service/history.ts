/** Earlier conversation for the model: the newest items that fit (PROTOCOL.md, "Turns"). */
import type { HistoryItem, ToolStatus } from '../agent/runtime.ts';
import type { Envelope, UnknownEnvelope } from '../transcript/envelope.ts';

/** Share of the model's window that history may fill. */
const SHARE = 0.6;
/** Rule of thumb for all languages and tokenizers. */
const BYTES_PER_TOKEN = 4;
/** Tokens assumed when the window is not known. */
const SMALL_WINDOW = 32_768;

export interface History {
  readonly items: readonly HistoryItem[];
  /** Rough size in tokens. */
  readonly tokens: number;
}

/** @param window tokens, null when unknown */
export function historyOf(
  envelopes: readonly (Envelope | UnknownEnvelope)[],
  window: number | null,
): History {
  const items = allItems(envelopes);
  let room = (window ?? SMALL_WINDOW) * SHARE * BYTES_PER_TOKEN;
  let first = items.length;
  for (; first > 0; first -= 1) {
    room -= sizeOf(items[first - 1]);
    if (room < 0) break;
  }
  const fitting = items.slice(first);
  const user = fitting.findIndex((item) => item.kind === 'user');
  const kept = user === -1 ? [] : fitting.slice(user);
  return { items: kept, tokens: Math.ceil(kept.reduce((sum, item) => sum + sizeOf(item), 0) / 4) };
}

function sizeOf(item: HistoryItem | undefined): number {
  return item === undefined ? 0 : Buffer.byteLength(JSON.stringify(item), 'utf8');
}

function allItems(envelopes: readonly (Envelope | UnknownEnvelope)[]): HistoryItem[] {
  const items: HistoryItem[] = [];
  for (const envelope of envelopes) if (isKnown(envelope)) addItem(items, envelope);
  return items;
}

function addItem(items: HistoryItem[], { ev, role }: Envelope): void {
  const last = items.at(-1);
  if (ev.t === 'text' && role === 'user') items.push({ kind: 'user', text: ev.text });
  else if (ev.t === 'text' && ev.thinking !== true) {
    if (last?.kind === 'assistant') items[items.length - 1] = { ...last, text: last.text + ev.text };
    else items.push({ kind: 'assistant', text: ev.text });
  } else if (ev.t === 'tool-call-start') {
    const { args, call, name } = ev;
    items.push({ kind: 'tool', call, name, args, output: '', status: 'cancelled' });
  } else if (ev.t === 'tool-call-end') endTool(items, ev.call, ev.status ?? 'ok', ev.output ?? '');
}

function endTool(items: HistoryItem[], call: string, status: ToolStatus, output: string): void {
  const index = items.findLastIndex((item) => item.kind === 'tool' && item.call === call);
  const item = items[index];
  if (item?.kind === 'tool') items[index] = { ...item, status, output };
}

const READ: ReadonlySet<string> = new Set(['text', 'tool-call-start', 'tool-call-end']);

function isKnown(envelope: Envelope | UnknownEnvelope): envelope is Envelope {
  return READ.has(envelope.ev.t);
}

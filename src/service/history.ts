/** Earlier conversation for the model: the newest items that fit (PROTOCOL.md, "Turns"). */
import type { HistoryItem, ToolStatus } from '../agent/runtime.ts';
import type { Envelope, UnknownEnvelope } from '../transcript/envelope.ts';
import { withNotes } from './profile/attachment-store.ts';
import { isSameMessage } from './replay-projection.ts';
import type { FileEvent } from './turn-record.ts';

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

/**
 * @param window tokens, null when unknown
 * @param noteOf what the model is told about a file that the user attached
 */
export function historyOf(
  envelopes: readonly (Envelope | UnknownEnvelope)[],
  window: number | null,
  noteOf: (file: FileEvent) => string,
): History {
  const items = allItems(envelopes, noteOf);
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

function allItems(
  envelopes: readonly (Envelope | UnknownEnvelope)[],
  noteOf: (file: FileEvent) => string,
): HistoryItem[] {
  const items: HistoryItem[] = [];
  let before: Envelope | null = null;
  for (const envelope of envelopes) {
    if (!isKnown(envelope)) continue;
    if (envelope.ev.t === 'file') addNote(items, noteOf(envelope.ev));
    // A subagent's words are in the output of the call that it worked for.
    else if (envelope.subagent === undefined) addItem(items, envelope, isSameMessage(before, envelope));
    before = envelope;
  }
  return items;
}

/** @param goesOn the text is more of the message before it */
function addItem(items: HistoryItem[], { ev, role }: Envelope, goesOn: boolean): void {
  const last = items.at(-1);
  if (ev.t === 'text' && role === 'user') {
    if (goesOn && last?.kind === 'user') items[items.length - 1] = { ...last, text: last.text + ev.text };
    else items.push({ kind: 'user', text: ev.text });
  } else if (ev.t === 'text' && ev.thinking !== true) {
    if (last?.kind === 'assistant') items[items.length - 1] = { ...last, text: last.text + ev.text };
    else items.push({ kind: 'assistant', text: ev.text });
  } else if (ev.t === 'tool-call-start') {
    const { args, call, name } = ev;
    items.push({ kind: 'tool', call, name, args, output: '', status: 'cancelled' });
  } else if (ev.t === 'tool-call-end') endTool(items, ev.call, ev.status ?? 'ok', ev.output ?? '');
}

function addNote(items: HistoryItem[], note: string): void {
  const last = items.at(-1);
  if (last?.kind === 'user') items[items.length - 1] = { ...last, text: withNotes(last.text, [note]) };
}

function endTool(items: HistoryItem[], call: string, status: ToolStatus, output: string): void {
  const index = items.findLastIndex((item) => item.kind === 'tool' && item.call === call);
  const item = items[index];
  if (item?.kind === 'tool') items[index] = { ...item, status, output };
}

const READ: ReadonlySet<string> = new Set(['text', 'file', 'tool-call-start', 'tool-call-end']);

function isKnown(envelope: Envelope | UnknownEnvelope): envelope is Envelope {
  return READ.has(envelope.ev.t);
}

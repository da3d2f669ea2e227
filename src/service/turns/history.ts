/**
 * Earlier conversation for the model (PROTOCOL.md, "Turns"): what the readable end of the file holds, from the last
 * summary on. Invariants: a summary stands for everything before the turn that it was made in; a tool call has its
 * result; the agent decides what of it fits.
 */
import type { HistoryItem, ToolStatus } from '../../agent/runtime.ts';
import type { Envelope, UnknownEnvelope } from '../../transcript/envelope.ts';
import { withNotes } from '../profile/attachment-store.ts';
import { isSameMessage } from '../sessions/replay-projection.ts';
import type { FileEvent } from './turn-record.ts';

/** Rule of thumb for all languages and tokenizers. */
const BYTES_PER_TOKEN = 4;

export interface History {
  readonly items: readonly HistoryItem[];
  /** Rough size in tokens. */
  readonly tokens: number;
}

/** @param noteOf what the model is told about a file that the user attached */
export function historyOf(
  envelopes: readonly (Envelope | UnknownEnvelope)[],
  noteOf: (file: FileEvent) => string,
): History {
  const items = allItems(envelopes, noteOf);
  const first = items.findIndex((item) => item.kind === 'user' || item.kind === 'summary');
  const kept = first === -1 ? [] : items.slice(first);
  const bytes = kept.reduce((sum, item) => sum + Buffer.byteLength(JSON.stringify(item), 'utf8'), 0);
  return { items: kept, tokens: Math.ceil(bytes / BYTES_PER_TOKEN) };
}

function allItems(
  envelopes: readonly (Envelope | UnknownEnvelope)[],
  noteOf: (file: FileEvent) => string,
): HistoryItem[] {
  let items: HistoryItem[] = [];
  let before: Envelope | null = null;
  /** Where the items of the turn begin that is read. */
  let turn: { readonly id: string | undefined; readonly start: number } = { id: undefined, start: 0 };
  for (const envelope of envelopes) {
    if (!isKnown(envelope)) continue;
    if (envelope.turn !== undefined && envelope.turn !== turn.id)
      turn = { id: envelope.turn, start: items.length };
    const { ev } = envelope;
    if (ev.t === 'service') {
      if (ev.kind !== 'compaction' || ev.summary === undefined) continue;
      items = [{ kind: 'summary', text: ev.summary }, ...items.slice(turn.start)];
      turn = { id: turn.id, start: 1 };
    } else if (ev.t === 'file') addNote(items, noteOf(ev));
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

const READ: ReadonlySet<string> = new Set(['text', 'file', 'tool-call-start', 'tool-call-end', 'service']);

function isKnown(envelope: Envelope | UnknownEnvelope): envelope is Envelope {
  return READ.has(envelope.ev.t);
}

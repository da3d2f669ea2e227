/**
 * Earlier conversation for the model (PROTOCOL.md, "Turns"): what the readable end of the file holds, from the last
 * summary on. Invariants: a summary stands for everything before it, but for what the user said in the turn that it was
 * made in; a tool call has its result; the agent decides what of it fits.
 */
import type { AttachedImage, HistoryItem, ToolStatus } from '../../agent/runtime.ts';
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

/** What the model gets of a file that the user attached. */
export interface FileForModel {
  readonly note: string;
  /** Null when it is none. */
  readonly image: AttachedImage | null;
}

export interface HistorySources {
  readonly about: (file: FileEvent) => FileForModel;
  /** The newest summary in the file before these envelopes. */
  readonly before: string | null;
}

export function historyOf(
  envelopes: readonly (Envelope | UnknownEnvelope)[],
  sources: HistorySources,
): History {
  const items = allItems(envelopes, sources);
  const first = items.findIndex((item) => item.kind === 'user' || item.kind === 'summary');
  const kept = first === -1 ? [] : items.slice(first);
  const bytes = kept.reduce((sum, item) => sum + Buffer.byteLength(JSON.stringify(item), 'utf8'), 0);
  return { items: kept, tokens: Math.ceil(bytes / BYTES_PER_TOKEN) };
}

function allItems(
  envelopes: readonly (Envelope | UnknownEnvelope)[],
  { about, before: summary }: HistorySources,
): HistoryItem[] {
  let items: HistoryItem[] = summary === null ? [] : [{ kind: 'summary', text: summary }];
  let before: Envelope | null = null;
  /** Where the items of the turn begin that is read. */
  let turn: { readonly id: string | undefined; readonly start: number } = {
    id: undefined,
    start: items.length,
  };
  for (const envelope of envelopes) {
    if (!isKnown(envelope)) continue;
    if (envelope.turn !== undefined && envelope.turn !== turn.id)
      turn = { id: envelope.turn, start: items.length };
    const { ev } = envelope;
    if (ev.t === 'service') {
      const newer = summaryIn(envelope);
      if (newer === null) continue;
      const said = items.slice(turn.start).filter(({ kind }) => kind === 'user');
      items = [{ kind: 'summary', text: newer }, ...said];
      turn = { id: turn.id, start: 1 };
    } else if (ev.t === 'file') addFile(items, about(ev));
    // A subagent's words are in the output of the call that it worked for.
    else if (envelope.subagent === undefined) addItem(items, envelope, isSameMessage(before, envelope));
    before = envelope;
  }
  return items;
}

/** What a compaction left; null for everything else. */
export function summaryIn({ ev }: Envelope): string | null {
  return ev.t === 'service' && ev.kind === 'compaction' ? (ev.summary ?? null) : null;
}

export function hasSummary(envelopes: readonly (Envelope | UnknownEnvelope)[]): boolean {
  return envelopes.some((envelope) => isKnown(envelope) && summaryIn(envelope) !== null);
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

function addFile(items: HistoryItem[], { image, note }: FileForModel): void {
  const last = items.at(-1);
  if (last?.kind !== 'user') return;
  const images = image === null ? {} : { images: [...(last.images ?? []), image] };
  items[items.length - 1] = { ...last, text: withNotes(last.text, [note]), ...images };
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

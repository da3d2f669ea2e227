/**
 * What a turn leaves in the session file (PROTOCOL.md, "Session envelopes", "Session profile").
 * Answer text is appended in pieces: as soon as 2 KiB wait, at the latest a second after they came, and whenever
 * something else follows. The pieces are consecutive text envelopes of one turn; whoever reads the file joins
 * them (replay projection, history, folding), so a crash costs at most the last second and no message is split.
 * Thinking is written when something else follows it, or when it has grown long.
 * Invariants: the text under construction has its envelope's ID from its first character on; no envelope passes
 * the bounds of the profile; after the first failed write nothing counts as saved any more.
 */
import type { AgentEvent, Usage } from '../../agent/runtime.ts';
import { type Envelope, envelopeId, type SessionEvent } from '../../transcript/envelope.ts';
import { type ErrorCode, errorOf } from '../../wire/errors.ts';
import { byteLength } from '../../wire/json.ts';
import type { Snapshot } from '../../wire/session.ts';
import type { Clock } from '../clock.ts';
import { encodedText, piecesOf, startOf, TEXT_BOUNDS } from '../profile/envelope-bounds.ts';
import { toolEndEvent, toolStartEvent } from '../profile/tool-envelopes.ts';
import type { SessionWriter } from '../sessions/session-writer.ts';

const FLUSH_BYTES = 2_048;
const FLUSH_MS = 1_000;
/** Thinking that is longer does not wait for what follows it. */
const THINKING_BYTES = 8_192;
const THINKING_ENCODED = 12_288;

type ToolStart = Extract<AgentEvent, { type: 'tool-start' }>;
type ToolEnd = Extract<AgentEvent, { type: 'tool-end' }>;
export type FileEvent = Extract<SessionEvent, { t: 'file' }>;

export interface TurnEnding {
  readonly status: 'completed' | 'failed' | 'cancelled';
  readonly code: ErrorCode | null;
  readonly usage: Usage | null;
  /** What happened, for people; only where more is known than the code says. */
  readonly notice?: string;
  /** The provider no longer takes the credential. */
  readonly isRefused?: boolean;
}

/** Who says something, and whether aloud. */
export interface Voice {
  readonly thinking: boolean;
  readonly subagent: string | undefined;
}

interface Building extends Voice {
  readonly id: string;
  text: string;
}

export class TurnRecord {
  readonly #writer: SessionWriter;
  readonly #clock: Clock;
  readonly #turn: string;
  #building: Building | null = null;
  #saved = true;
  /** The beginning of the turn on its way to the disk. */
  #synced: Promise<boolean> = Promise.resolve(true);
  #cancelFlush: (() => void) | null = null;

  constructor(writer: SessionWriter, clock: Clock, turn: string) {
    this.#writer = writer;
    this.#clock = clock;
    this.#turn = turn;
  }

  /** Whether everything so far is in the file. */
  get saved(): boolean {
    return this.#saved;
  }

  /** What was said and stands in no envelope yet. */
  get pending(): NonNullable<Snapshot['turn']>['pending'] {
    if (this.#building === null || this.#building.text === '') return null;
    const { id, subagent, text, thinking } = this.#building;
    return { envelope_id: id, text, thinking, ...(subagent === undefined ? {} : { subagent }) };
  }

  begin(prompt: string, files: readonly FileEvent[]): void {
    for (const text of piecesOf(prompt, TEXT_BOUNDS)) this.#user({ t: 'text', text });
    for (const file of files) this.#user(file);
    this.#agent({ t: 'turn-start' });
    this.#synced = this.#writer.sync();
  }

  /** ID of the envelope that the next piece of this voice will stand in. */
  open({ subagent, thinking }: Voice): string {
    const building = this.#building;
    if (building?.thinking === thinking && building.subagent === subagent) return building.id;
    this.flush();
    const id = envelopeId();
    this.#building = { id, thinking, subagent, text: '' };
    return id;
  }

  /** Adds a piece to the envelope that was opened. */
  add(text: string): void {
    const building = this.#building;
    if (building === null) return;
    building.text += text;
    const size = byteLength(building.text);
    if (building.thinking) {
      if (size >= THINKING_BYTES || encodedText(building.text) >= THINKING_ENCODED) this.flush();
    } else if (size >= FLUSH_BYTES) this.flush();
    else this.#cancelFlush ??= this.#clock.after(FLUSH_MS, () => this.flush());
  }

  toolStart(start: ToolStart): void {
    this.#agent(toolStartEvent(start), start.subagent);
  }

  toolEnd(end: ToolEnd): void {
    this.#agent(toolEndEvent(end), end.subagent);
  }

  /** What stands in for everything before this turn from now on; the file keeps it all. */
  compaction(said: string): void {
    const summary = startOf(said.toWellFormed(), TEXT_BOUNDS);
    this.#agent({ t: 'service', kind: 'compaction', text: 'Earlier messages were summarised.', summary });
  }

  /** Anything else that the agent does. */
  agent(ev: SessionEvent, subagent?: string): void {
    this.#agent(ev, subagent);
  }

  /** What the user says or decides meanwhile. The result is the envelope's ID. */
  user(ev: SessionEvent): string {
    return this.#user(ev);
  }

  abort(): void {
    this.#user({ t: 'abort' });
  }

  /** Writes the end and waits for the disk. True when the whole turn is saved. */
  async end({ code, notice, status, usage }: TurnEnding): Promise<boolean> {
    this.#agent({
      t: 'turn-end',
      status,
      ...(usage === null ? {} : { usage }),
      ...(code === null
        ? {}
        : { error: { ...errorOf(code), ...(notice === undefined ? {} : { message: notice }) } }),
    });
    const begun = await this.#synced;
    if (!(begun && (await this.#writer.sync()))) this.#saved = false;
    return this.#saved;
  }

  /** Writes what was said so far. */
  flush(): void {
    this.#cancelFlush?.();
    this.#cancelFlush = null;
    const building = this.#building;
    this.#building = null;
    if (building === null || building.text === '') return;
    const { id, subagent, text, thinking } = building;
    const ev = thinking ? ({ t: 'text', text, thinking } as const) : ({ t: 'text', text } as const);
    this.#append({ ...this.#head(id), role: 'agent', ...by(subagent), ev });
  }

  #user(ev: SessionEvent): string {
    this.flush();
    const head = this.#head(envelopeId());
    this.#append({ ...head, role: 'user', ev });
    return head.id;
  }

  #agent(ev: SessionEvent, subagent?: string): void {
    this.flush();
    this.#append({ ...this.#head(envelopeId()), role: 'agent', ...by(subagent), ev });
  }

  #head(id: string): { id: string; time: number; turn: string } {
    return { id, time: this.#clock.now(), turn: this.#turn };
  }

  #append(envelope: Envelope): void {
    if (!this.#writer.append(envelope)) this.#saved = false;
  }
}

function by(subagent: string | undefined): { subagent?: string } {
  return subagent === undefined ? {} : { subagent };
}

/**
 * What a turn leaves in the session file (PROTOCOL.md, "Session envelopes").
 * Answer text is appended in pieces: as soon as 2 KiB wait, at the latest a second after they came, and at
 * every tool call and at the end. The pieces are consecutive text envelopes of one turn; whoever reads the
 * file joins them (replay projection, history, folding), so a crash costs at most the last second and no
 * message is split. Thinking is written whole, when something else follows it.
 * Invariant: after the first failed write nothing counts as saved any more.
 */
import type { AgentEvent, Usage } from '../agent/runtime.ts';
import { type Envelope, envelopeId, type SessionEvent } from '../transcript/envelope.ts';
import { type ErrorCode, errorOf } from '../wire/errors.ts';
import type { Clock } from './clock.ts';
import { cutUtf8 } from './replay-projection.ts';
import type { SessionWriter } from './session-writer.ts';

const FLUSH_BYTES = 2_048;
const FLUSH_MS = 1_000;
/** Tool output, diff, one thinking envelope, and one text within tool arguments. */
const KEPT_BYTES = 12_288;

type ToolStart = Extract<AgentEvent, { type: 'tool-start' }>;
type ToolEnd = Extract<AgentEvent, { type: 'tool-end' }>;

export interface TurnEnding {
  readonly status: 'completed' | 'failed' | 'cancelled';
  readonly code: ErrorCode | null;
  readonly usage: Usage | null;
  /** What happened, for people; only where more is known than the code says. */
  readonly notice?: string;
}

export class TurnRecord {
  readonly #writer: SessionWriter;
  readonly #clock: Clock;
  readonly #turn: string;
  #text = '';
  #thinking = '';
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

  begin(prompt: string): void {
    this.#append({ ...this.#head(), role: 'user', ev: { t: 'text', text: prompt } });
    this.#agent({ t: 'turn-start' });
    this.#synced = this.#writer.sync();
  }

  text(text: string): void {
    this.#flushThinking();
    this.#text += text;
    if (Buffer.byteLength(this.#text) >= FLUSH_BYTES) this.#flushText();
    else if (this.#cancelFlush === null)
      this.#cancelFlush = this.#clock.after(FLUSH_MS, () => this.#flushText());
  }

  thinking(text: string): void {
    this.#flushText();
    this.#thinking += text;
  }

  toolStart({ args, call, name, title }: ToolStart): void {
    this.#flush();
    this.#agent({ t: 'tool-call-start', call, name, title, description: '', args: boundedArgs(args) });
  }

  toolEnd(end: ToolEnd): void {
    this.#flush();
    const { call, diff, durationMs, exitCode, notice, output, outputBytes, status } = end;
    this.#agent({
      t: 'tool-call-end',
      call,
      status,
      output: bounded(output),
      outputBytes,
      durationMs: Math.max(0, Math.round(durationMs)),
      ...(exitCode === undefined ? {} : { exitCode }),
      ...(diff === undefined ? {} : { diff: bounded(diff) }),
      ...(notice === undefined ? {} : { notice }),
    });
  }

  abort(): void {
    this.#append({ ...this.#head(), role: 'user', turn: this.#turn, ev: { t: 'abort' } });
  }

  /** Writes the end and waits for the disk. True when the whole turn is saved. */
  async end({ code, notice, status, usage }: TurnEnding): Promise<boolean> {
    this.#flush();
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

  #flush(): void {
    this.#flushThinking();
    this.#flushText();
  }

  #flushText(): void {
    this.#cancelFlush?.();
    this.#cancelFlush = null;
    if (this.#text === '') return;
    this.#agent({ t: 'text', text: this.#text });
    this.#text = '';
  }

  #flushThinking(): void {
    if (this.#thinking === '') return;
    for (const text of cutUtf8(this.#thinking.toWellFormed(), KEPT_BYTES))
      this.#agent({ t: 'text', text, thinking: true });
    this.#thinking = '';
  }

  #head(): { id: string; time: number } {
    return { id: envelopeId(), time: this.#clock.now() };
  }

  #agent(ev: SessionEvent): void {
    this.#append({ ...this.#head(), role: 'agent', turn: this.#turn, ev });
  }

  #append(envelope: Envelope): void {
    if (!this.#writer.append(envelope)) this.#saved = false;
  }
}

function bounded(text: string): string {
  return cutUtf8(text.toWellFormed(), KEPT_BYTES)[0] ?? '';
}

function boundedArgs(args: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(args).map(([key, value]) => [key, boundedValue(value)]));
}

/** Long texts are shortened, with a mark; anything else that is too long is left out. */
function boundedValue(value: unknown): unknown {
  if (typeof value === 'string') {
    const kept = bounded(value);
    return kept.length < value.length ? `${kept}… [shortened]` : kept;
  }
  const encoded = JSON.stringify(value) ?? 'null';
  return Buffer.byteLength(encoded) > KEPT_BYTES ? '[left out]' : value;
}

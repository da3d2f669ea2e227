/**
 * One turn from its first event to its outcome (PROTOCOL.md, "Turns").
 * Invariants: text is passed on only when it fits the turn; nothing is passed on after the outcome; a turn
 * that is told to stop ends within a grace time, whatever the agent does.
 */
import type { AgentEvent, AgentTurn, Usage } from '../agent/runtime.ts';
import type { Activity } from '../wire/activity.ts';
import { byteLength } from '../wire/json.ts';
import { LIMITS } from '../wire/limits.ts';
import { ABORT_GRACE_MS } from './bounds.ts';
import type { Clock } from './clock.ts';
import type { Log } from './log.ts';
import {
  contextActivity,
  reasoningActivity,
  toolEndActivities,
  toolStartActivities,
  usageActivity,
} from './turn-activity.ts';
import type { TurnEnding, TurnRecord } from './turn-record.ts';
import { TurnText } from './turn-text.ts';

export interface TurnSink {
  delta(text: string): void;
  activity(activity: Activity): void;
}

export interface TurnRunOptions {
  readonly agent: AgentTurn;
  readonly record: TurnRecord;
  readonly sink: TurnSink;
  readonly clock: Clock;
  readonly log: Log;
  /** Tokens that the model's window holds, null when unknown. */
  readonly window: number | null;
  /** Tokens that the first request will take, roughly. */
  readonly estimate: number;
}

/** Why a turn was told to stop; the first reason counts. */
type Stop = 'cancelled' | 'output-limit' | 'persistence' | 'interrupted';

/** Between the reply before a tool call and the reply after it: told, not stored; the agent's own newlines there are dropped. */
const PARAGRAPH = '\n\n';

export class TurnRun {
  readonly #options: TurnRunOptions;
  readonly #text = new TurnText();
  readonly #tools = new Map<string, string>();
  #thinking = '';
  #stop: Stop | null = null;
  #giveUp: () => void = () => undefined;
  #request = 0;
  #context: number;
  #afterTool = false;
  #usage: Usage | null = null;
  #ended: Extract<AgentEvent, { type: 'end' }> | null = null;
  #over = false;

  constructor(options: TurnRunOptions) {
    this.#options = options;
    this.#context = options.estimate;
  }

  /** Everything accepted so far. */
  get text(): string {
    return this.#text.value;
  }

  /** Asks the agent to stop on behalf of the controller. */
  cancel(): void {
    if (this.#stop === null) this.#options.record.abort();
    this.#abort('cancelled');
  }

  /** The service itself ends. */
  interrupt(): void {
    this.#abort('interrupted');
  }

  async run(): Promise<TurnEnding> {
    let cancelGrace: () => void = () => undefined;
    const grace = new Promise<void>((resolve) => {
      this.#giveUp = () => {
        this.#giveUp = () => undefined;
        cancelGrace = this.#options.clock.after(ABORT_GRACE_MS, resolve);
      };
    });
    if (this.#stop !== null) this.#giveUp();
    await Promise.race([this.#consume(), grace]);
    cancelGrace();
    this.#over = true;
    return this.#outcome();
  }

  async #consume(): Promise<void> {
    try {
      for await (const event of this.#options.agent.events) {
        if (this.#over) return;
        this.#take(event);
        if (!this.#options.record.saved) this.#abort('persistence');
        if (this.#ended !== null) return;
      }
    } catch (error) {
      this.#options.log.error('the agent failed', { reason: String(error) });
    }
  }

  #abort(reason: Stop): void {
    if (this.#stop !== null || this.#over) return;
    this.#stop = reason;
    this.#options.agent.abort();
    this.#giveUp();
  }

  #take(event: AgentEvent): void {
    if (event.type !== 'thinking') this.#settleThinking();
    switch (event.type) {
      case 'request':
        this.#request = event.index;
        this.#tellContext('fallback_estimate');
        return;
      case 'text':
        this.#takeText(event.text);
        return;
      case 'thinking':
        this.#thinking += event.text;
        this.#options.record.thinking(event.text);
        return;
      case 'tool-start':
        this.#tools.set(event.call, event.name);
        this.#options.record.toolStart(event);
        this.#tell(toolStartActivities(event));
        return;
      case 'tool-end':
        this.#afterTool = true;
        this.#options.record.toolEnd(event);
        this.#tell(toolEndActivities(event, this.#tools.get(event.call) ?? ''));
        return;
      case 'usage':
        this.#takeUsage(event);
        return;
      case 'end':
        this.#ended = event;
        if (event.status === 'failed') this.#options.log.error('the turn failed', { reason: event.message });
    }
  }

  #takeText(piece: string): void {
    const lead = this.#afterTool && this.#text.value !== '' ? PARAGRAPH : '';
    const whole = this.#text.whole(piece);
    const text = lead === '' ? whole : whole.replace(/^\n+/, '');
    if (text === '' || this.#stop === 'output-limit') return;
    if (!this.#text.fits(lead + text)) {
      this.#abort('output-limit');
      return;
    }
    this.#afterTool = false;
    if (lead !== '') this.#passOn(lead);
    this.#passOn(text);
    this.#options.record.text(text);
  }

  #passOn(text: string): void {
    this.#text.accept(text);
    this.#options.sink.delta(text);
  }

  #takeUsage(event: Extract<AgentEvent, { type: 'usage' }>): void {
    const { usage } = event;
    const before = this.#usage ?? { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cost: 0 };
    this.#usage = {
      inputTokens: before.inputTokens + Math.round(usage.inputTokens),
      outputTokens: before.outputTokens + Math.round(usage.outputTokens),
      cacheReadTokens: before.cacheReadTokens + Math.round(usage.cacheReadTokens),
      cost: before.cost + usage.cost,
    };
    this.#context = event.contextTokens;
    this.#tellContext('provider_exact', event.window);
    this.#tell([usageActivity(event, this.#request)]);
  }

  #tellContext(source: 'fallback_estimate' | 'provider_exact', window = this.#options.window): void {
    if (window !== null) this.#tell([contextActivity(this.#context, window, this.#request, source)]);
  }

  /** Thinking is told as one summary, when something else follows it. */
  #settleThinking(): void {
    if (this.#thinking === '') return;
    this.#tell([reasoningActivity(this.#thinking)]);
    this.#thinking = '';
  }

  #tell(activities: readonly Activity[]): void {
    for (const activity of activities) this.#options.sink.activity(activity);
  }

  #outcome(): TurnEnding {
    const usage = this.#usage;
    if (!this.#options.record.saved) return { status: 'failed', code: 'persistence_failed', usage };
    if (this.#stop === 'output-limit') return { status: 'failed', code: 'output_limit_exceeded', usage };
    if (this.#ended?.status === 'completed') return { status: 'completed', code: null, usage };
    if (this.#stop === 'cancelled') return { status: 'cancelled', code: null, usage };
    if (this.#ended?.status === 'cancelled' && this.#stop === null)
      return { status: 'cancelled', code: null, usage };
    return { status: 'failed', code: 'internal_error', usage, ...this.#notice() };
  }

  /** Words of the agent that fit the wire. */
  #notice(): { notice?: string } {
    const notice = this.#ended?.status === 'failed' ? this.#ended.notice : undefined;
    if (notice === undefined || byteLength(notice) > LIMITS.max_error_message_bytes) return {};
    return { notice };
  }
}

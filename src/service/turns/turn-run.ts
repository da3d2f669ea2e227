/**
 * One turn from its first event to its outcome (PROTOCOL.md, "Turns").
 * Invariants: text is passed on only when it fits the turn; nothing is passed on after the outcome; a turn
 * that is told to stop ends within a grace time, whatever the agent does.
 */
import type { AgentEvent, AgentTurn } from '../../agent/runtime.ts';
import type { Activity } from '../../wire/activity.ts';
import { ABORT_GRACE_MS } from '../bounds.ts';
import type { Clock } from '../clock.ts';
import type { Log } from '../log.ts';
import { subagentStartEvent } from '../profile/tool-envelopes.ts';
import {
  compactionActivity,
  reasoningActivity,
  toolEndActivities,
  toolStartActivities,
} from './turn-activity.ts';
import { TurnMeter } from './turn-meter.ts';
import { outcomeOf, type Stop } from './turn-outcome.ts';
import type { TurnEnding, TurnRecord } from './turn-record.ts';
import { type Delta, TurnSpeech } from './turn-speech.ts';

export interface TurnSink {
  delta(delta: Delta): void;
  /** For clients that know no envelopes. */
  separator(text: string): void;
  activity(activity: Activity): void;
  /** What to wait for before more is said; null when there is room. */
  ready(): Promise<void> | null;
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
  /** Whether the answer may pass what an ordinary terminal carries. */
  readonly mayBeLong: () => boolean;
  /** Keeps the whole output of a tool call. */
  readonly keepOutput: (call: string, output: string) => void;
}

interface ToolCall {
  readonly name: string;
  readonly server: string | undefined;
  readonly subagent: string | undefined;
}

export class TurnRun {
  readonly #options: TurnRunOptions;
  readonly #speech: TurnSpeech;
  readonly #meter: TurnMeter;
  readonly #tools = new Map<string, ToolCall>();
  /** Who waits for the beginning of a tool call to be recorded. */
  readonly #expected = new Map<string, () => void>();
  #thinking = '';
  #stop: Stop | null = null;
  #giveUp: () => void = () => undefined;
  #ended: Extract<AgentEvent, { type: 'end' }> | null = null;
  #over = false;

  constructor(options: TurnRunOptions) {
    this.#options = options;
    const { estimate, mayBeLong, record, sink, window } = options;
    this.#meter = new TurnMeter(window, estimate, (activity) => sink.activity(activity));
    const { delta, separator } = sink;
    this.#speech = new TurnSpeech({ record, delta, separator, mayBeLong });
  }

  /** The answer accepted so far; empty once it is long. */
  get text(): string {
    return this.#speech.text;
  }

  /** The answer is too long for ordinary records and stands in the envelopes alone. */
  get isLong(): boolean {
    return this.#speech.isLong;
  }

  /** What was said and stands in no envelope yet. */
  get pending(): TurnRecord['pending'] {
    return this.#options.record.pending;
  }

  /** Says something to the agent while it works. The ID of its envelope, or null when the turn takes no more. */
  steer(text: string): string | null {
    if (this.#stop !== null || this.#over || !this.#options.agent.steer(text)) return null;
    return this.#options.record.user({ t: 'text', text, steer: true });
  }

  /** Once the call's beginning is recorded, or will never be: who made the call, if that was a subagent. */
  async beginningOf(call: string): Promise<string | undefined> {
    if (!this.#over && !this.#tools.has(call))
      await new Promise<void>((resolve) => this.#expected.set(call, resolve));
    return this.#tools.get(call)?.subagent;
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
    for (const resolve of this.#expected.values()) resolve();
    return this.#outcome();
  }

  async #consume(): Promise<void> {
    try {
      for await (const event of this.#options.agent.events) {
        if (this.#over) return;
        this.#take(event);
        if (!this.#options.record.saved) this.#abort('persistence');
        if (this.#ended !== null) return;
        const crowded = this.#options.sink.ready();
        if (crowded !== null) await crowded;
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
        this.#meter.request(event.index);
        return;
      case 'text':
      case 'thinking':
        this.#takeSpeech(event);
        return;
      case 'tool-start':
        this.#takeToolStart(event);
        return;
      case 'tool-end':
        this.#takeToolEnd(event);
        return;
      case 'usage':
        this.#meter.take(event);
        return;
      case 'steer-taken':
        this.#options.record.flush();
        return;
      case 'compaction':
        this.#takeCompaction(event);
        return;
      case 'notice':
        this.#options.record.agent({ t: 'service', kind: 'notice', text: event.text });
        return;
      case 'subagent-start':
        this.#options.record.agent(subagentStartEvent(event));
        return;
      case 'subagent-stop':
        this.#options.record.agent({ t: 'subagent-stop', agentId: event.agentId });
        return;
      case 'end':
        this.#ended = event;
        if (event.status === 'failed') this.#options.log.error('the turn failed', { reason: event.message });
    }
  }

  #takeCompaction(event: Extract<AgentEvent, { type: 'compaction' }>): void {
    if (event.status === 'completed') this.#options.record.compaction(event.summary);
    if (event.after !== null) this.#meter.compacted(event.after);
    this.#tell([compactionActivity(event, this.#options.window)]);
  }

  #takeSpeech({ subagent, text, type }: Extract<AgentEvent, { type: 'text' | 'thinking' }>): void {
    if (this.#stop === 'output-limit') return;
    const thinking = type === 'thinking';
    if (thinking && subagent === undefined) this.#thinking += text;
    const isAnswer = !thinking && subagent === undefined;
    const isTaken = isAnswer ? this.#speech.answer(text) : this.#speech.aside(text, { thinking, subagent });
    if (!isTaken) this.#abort('output-limit');
  }

  #takeToolStart(event: Extract<AgentEvent, { type: 'tool-start' }>): void {
    const { call, name, server, subagent } = event;
    this.#tools.set(call, { name, server, subagent });
    this.#options.record.toolStart(event);
    this.#tell(toolStartActivities(event));
    this.#expected.get(call)?.();
    this.#expected.delete(call);
  }

  #takeToolEnd(event: Extract<AgentEvent, { type: 'tool-end' }>): void {
    if (event.subagent === undefined) this.#speech.toolEnded();
    this.#options.keepOutput(event.call, event.output);
    this.#options.record.toolEnd(event);
    this.#tell(toolEndActivities(event, this.#tools.get(event.call) ?? { name: '' }));
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
    const { saved } = this.#options.record;
    return outcomeOf({ saved, stop: this.#stop, ended: this.#ended, usage: this.#meter.usage });
  }
}

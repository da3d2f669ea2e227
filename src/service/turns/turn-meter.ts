/** What a turn has used so far, and how full the window of its model is (PROTOCOL.md, "Activity"). */
import type { AgentEvent, Usage } from '../../agent/runtime.ts';
import type { Activity } from '../../wire/activity.ts';
import { contextActivity, usageActivity } from './turn-activity.ts';

type UsageEvent = Extract<AgentEvent, { type: 'usage' }>;

const NONE: Usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cost: 0 };

export class TurnMeter {
  readonly #window: number | null;
  readonly #tell: (activity: Activity) => void;
  #request = 0;
  #context: number;
  #usage: Usage | null = null;

  /**
   * @param window tokens, null when unknown
   * @param estimate tokens that the first request will take, roughly
   */
  constructor(window: number | null, estimate: number, tell: (activity: Activity) => void) {
    this.#window = window;
    this.#context = estimate;
    this.#tell = tell;
  }

  /** Of the whole turn, subagents included; null when nobody counted. */
  get usage(): Usage | null {
    return this.#usage;
  }

  request(index: number): void {
    this.#request = index;
    this.#tellContext('fallback_estimate', this.#window);
  }

  /** A subagent has a window of its own, and so has what makes a summary. */
  take(event: UsageEvent): void {
    const { usage } = event;
    const before = this.#usage ?? NONE;
    this.#usage = {
      inputTokens: before.inputTokens + Math.round(usage.inputTokens),
      outputTokens: before.outputTokens + Math.round(usage.outputTokens),
      cacheReadTokens: before.cacheReadTokens + Math.round(usage.cacheReadTokens),
      cost: before.cost + usage.cost,
    };
    if (event.subagent !== undefined || event.compaction === true) return;
    this.#context = event.contextTokens;
    this.#tellContext('provider_exact', event.window);
    this.#tell(usageActivity(event, this.#request));
  }

  /** What the next request will take, now that less is said in it. */
  compacted(tokens: number): void {
    this.#context = tokens;
  }

  #tellContext(source: 'fallback_estimate' | 'provider_exact', window: number | null): void {
    if (window !== null) this.#tell(contextActivity(this.#context, window, this.#request, source));
  }
}

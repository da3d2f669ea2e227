import { setTimeout as sleep } from 'node:timers/promises';
import type { StreamFn } from '@earendil-works/pi-agent-core';
import {
  type Api,
  type AssistantMessage,
  type AssistantMessageEvent,
  type AssistantMessageEventStream,
  createAssistantMessageEventStream,
  type Model,
  type ProviderStreams,
  type SimpleStreamOptions,
  type TranscriptContext,
} from '@earendil-works/pi-ai';
import { VERSION } from '../../platform/version.ts';
import type { AgentTiming } from '../options.ts';
import { createGuardedFetch, type HeaderPolicy, type Trouble } from './guarded-fetch.ts';
import { isOverflow, OVERFLOW_NOTICE } from './overflow.ts';
import { busyTrouble, describeTrouble, retryDelay, troubleNotice } from './trouble.ts';

export interface ResilientStreamOptions {
  readonly timing: AgentTiming;
  readonly headers: HeaderPolicy;
  /** Members that go with every request as they are. */
  readonly extra: Readonly<Record<string, string>>;
  readonly log: (line: string) => void;
  readonly onFailure: (failure: RequestFailure) => void;
}

/** A request that failed for good. */
export interface RequestFailure {
  /** For people. */
  readonly notice: string;
  /** What was seen of it. */
  readonly trouble: Trouble | null;
  /** It was too long for the model. */
  readonly isOverflow: boolean;
}

/**
 * One model request that survives what passes: busy and unreachable servers are asked again, silence ends.
 * Invariant: a request is repeated only while nothing of its answer was passed on.
 */
export function createResilientStream(api: ProviderStreams, options: ResilientStreamOptions): StreamFn {
  return (model, context, streamOptions = {}) => {
    const out = createAssistantMessageEventStream();
    void request({ api, model, context, streamOptions, options, out });
    return out;
  };
}

interface Request {
  readonly api: ProviderStreams;
  readonly model: Model<Api>;
  readonly context: TranscriptContext;
  readonly streamOptions: SimpleStreamOptions;
  readonly options: ResilientStreamOptions;
  readonly out: AssistantMessageEventStream;
}

async function request({ api, model, context, streamOptions, options, out }: Request): Promise<void> {
  const { signal } = streamOptions;
  const isAborted = (): boolean => signal?.aborted === true;
  for (let attempt = 0; ; attempt += 1) {
    const guard = createGuardedFetch({ ...options.timing, headers: options.headers });
    const inner = api.streamSimple(model, context, {
      ...streamOptions,
      fetch: guard.fetch,
      identity: { userAgent: { custom: `magi-term/${VERSION}` } },
      maxRetries: 0,
      transport: 'sse',
      onPayload: (payload) => tidyPayload(payload, options.extra),
    });
    const failure = await forward(inner, out);
    if (failure === null) return;
    const detail = failure.message.errorMessage ?? 'unknown';
    const trouble = guard.trouble() ?? busyTrouble(detail);
    const delay = failure.passedOn ? null : retryDelay(trouble, attempt, options.timing.retryDelaysMs);
    if (!isAborted() && delay !== null) {
      options.log(`model request failed, next attempt in ${delay} ms: ${detail}`);
      await sleep(delay, undefined, signal === undefined ? {} : { signal }).catch(() => {});
      if (!isAborted()) continue;
    }
    const reason = isAborted() ? 'aborted' : 'error';
    options.onFailure(failureOf(trouble, model.baseUrl, failure.message));
    const errorMessage = describeTrouble(trouble, model.baseUrl, detail);
    out.push({ type: 'error', reason, error: { ...failure.message, stopReason: reason, errorMessage } });
    return;
  }
}

function failureOf(trouble: Trouble | null, baseUrl: string, message: AssistantMessage): RequestFailure {
  if (isOverflow(trouble, message)) return { notice: OVERFLOW_NOTICE, trouble, isOverflow: true };
  return { notice: troubleNotice(trouble, baseUrl), trouble, isOverflow: false };
}

interface Failure {
  readonly message: AssistantMessage;
  /** True when a part of the answer was passed on. */
  readonly passedOn: boolean;
}

/** Passes events on; `start` waits for the first content, so that a retry leaves no trace. Null when it ended well. */
async function forward(
  inner: AsyncIterable<AssistantMessageEvent>,
  out: AssistantMessageEventStream,
): Promise<Failure | null> {
  let start: AssistantMessageEvent | null = null;
  let passedOn = false;
  for await (const event of inner) {
    if (event.type === 'error') return { message: event.error, passedOn };
    if (event.type === 'start') {
      start = event;
      continue;
    }
    if (start !== null) out.push(start);
    start = null;
    passedOn = true;
    out.push(event);
    if (event.type === 'done') return null;
  }
  return null;
}

/**
 * Without a thinking level the SDK switches thinking off. Ours means "the provider's default": say nothing.
 * Output limits of 1 come from models whose limits are unknown: leave them to the server.
 */
function tidyPayload(payload: unknown, extra: ResilientStreamOptions['extra']): unknown {
  if (typeof payload !== 'object' || payload === null) return undefined;
  const tidy = Object.entries(payload).filter(([name, value]) => !isNoise(name, value));
  return { ...Object.fromEntries(tidy), ...extra };
}

function isNoise(name: string, value: unknown): boolean {
  switch (name) {
    case 'thinking':
      return isObject(value) && 'type' in value && value.type === 'disabled';
    case 'reasoning':
      return isObject(value) && 'effort' in value && value.effort === 'none';
    case 'reasoning_effort':
      return value === 'none';
    case 'max_tokens':
    case 'max_completion_tokens':
      return value === 1;
    default:
      return false;
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

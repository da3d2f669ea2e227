/**
 * The only way from the model SDK to the network. It bounds silence and size, remembers why a request failed,
 * and keeps headers that the SDKs take from the environment away from servers that are not the vendor's.
 */
import { type CodexAccount, codexHeaders } from './codex.ts';

/** Why a request failed, as seen on the connection. */
export type Trouble =
  | { readonly kind: 'network'; readonly code: string }
  | { readonly kind: 'status'; readonly status: number; readonly retryAfterMs: number | null }
  | { readonly kind: 'silent'; readonly afterMs: number }
  | { readonly kind: 'too-large' };

export interface GuardOptions {
  readonly firstByteMs: number;
  readonly idleMs: number;
  readonly headers: HeaderPolicy;
}

/** `vendor`: all headers pass. `custom`: only those that the API needs; credentials only when there is a key. An account brings its own. */
export type HeaderPolicy = 'vendor' | 'custom-with-key' | 'custom-without-key' | CodexAccount;

export interface GuardedFetch {
  readonly fetch: typeof globalThis.fetch;
  /** The last failure, or null. */
  trouble(): Trouble | null;
}

const MAX_RESPONSE_BYTES = 64 * 1024 * 1024;
const PLAIN_HEADERS = new Set([
  'accept',
  'anthropic-beta',
  'anthropic-version',
  'content-type',
  'user-agent',
]);
const KEY_HEADERS = new Set(['authorization', 'x-api-key']);

/** Makes a fetch for one model request. */
export function createGuardedFetch(options: GuardOptions): GuardedFetch {
  let trouble: Trouble | null = null;
  const note = (found: Trouble): void => {
    trouble ??= found;
  };
  const guarded: typeof globalThis.fetch = async (input, init) => {
    trouble = null;
    const silence = new AbortController();
    const watch = createWatch((afterMs) => {
      note({ kind: 'silent', afterMs });
      silence.abort(new Error('The model server went silent.'));
    });
    const signals = init?.signal ? [init.signal, silence.signal] : [silence.signal];
    watch.expectWithin(options.firstByteMs);
    const noteNetwork = (error: unknown): void => {
      // An abort by the caller or the SDK is not a fault of the network.
      if (init?.signal?.aborted !== true) note({ kind: 'network', code: networkCode(error) });
    };
    try {
      const response = await globalThis.fetch(input, {
        ...init,
        headers: passHeaders(addressOf(input), new Headers(init?.headers), options.headers),
        signal: AbortSignal.any(signals),
        redirect: 'error',
      });
      if (!response.ok) note(statusTrouble(response));
      return watchBody(response, { watch, note, noteNetwork, idleMs: options.idleMs });
    } catch (error) {
      watch.stop();
      noteNetwork(error);
      throw error;
    }
  };
  return { fetch: guarded, trouble: () => trouble };
}

interface Watch {
  /** Starts or restarts the clock. */
  expectWithin(ms: number): void;
  stop(): void;
}

function createWatch(onSilence: (afterMs: number) => void): Watch {
  let timer: NodeJS.Timeout | undefined;
  return {
    expectWithin(ms) {
      clearTimeout(timer);
      timer = setTimeout(() => onSilence(ms), ms);
    },
    stop: () => clearTimeout(timer),
  };
}

function addressOf(input: Parameters<typeof globalThis.fetch>[0]): string {
  return input instanceof Request ? input.url : String(input);
}

function passHeaders(address: string, headers: Headers, policy: HeaderPolicy): Headers {
  if (policy === 'vendor') return headers;
  if (typeof policy === 'object') return codexHeaders(address, headers, policy);
  const passed = new Headers();
  for (const [name, value] of headers) {
    if (PLAIN_HEADERS.has(name) || (policy === 'custom-with-key' && KEY_HEADERS.has(name))) {
      passed.set(name, value);
    }
  }
  return passed;
}

interface BodyWatch {
  readonly watch: Watch;
  readonly note: (trouble: Trouble) => void;
  readonly noteNetwork: (error: unknown) => void;
  readonly idleMs: number;
}

function watchBody(response: Response, { watch, note, noteNetwork, idleMs }: BodyWatch): Response {
  const reader = response.body?.getReader();
  if (reader === undefined) {
    watch.stop();
    return response;
  }
  let size = 0;
  watch.expectWithin(idleMs);
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (done) {
          watch.stop();
          controller.close();
          return;
        }
        size += value.byteLength;
        if (size > MAX_RESPONSE_BYTES) {
          note({ kind: 'too-large' });
          throw new Error('The response is too large.');
        }
        watch.expectWithin(idleMs);
        controller.enqueue(value);
      } catch (error) {
        watch.stop();
        noteNetwork(error);
        controller.error(error);
        await reader.cancel().catch(() => {});
      }
    },
    async cancel(reason) {
      watch.stop();
      await reader.cancel(reason).catch(() => {});
    },
  });
  return new Response(body, {
    status: response.status,
    statusText: response.statusText,
    headers: response.headers,
  });
}

function statusTrouble(response: Response): Trouble {
  return { kind: 'status', status: response.status, retryAfterMs: retryAfter(response.headers, Date.now()) };
}

/** How long the server asks to wait, in ms: seconds, a date, or the vendors' own header; null when it does not say. */
export function retryAfter(headers: Headers, now: number): number | null {
  const ms = Number.parseFloat(headers.get('retry-after-ms') ?? '');
  if (Number.isFinite(ms) && ms >= 0) return ms;
  const value = headers.get('retry-after')?.trim() ?? '';
  if (/^\d+(?:\.\d+)?$/u.test(value)) return Number(value) * 1000;
  const date = /^[a-z]{3,9},? /iu.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}

/** The system's code, for example ECONNREFUSED; fetch hides it one or two causes deep. */
export function networkCode(error: unknown): string {
  let current: unknown = error;
  for (let depth = 0; depth < 4 && current instanceof Error; depth += 1) {
    if ('code' in current && typeof current.code === 'string') return current.code;
    if (current instanceof AggregateError && current.errors.length > 0) current = current.errors[0];
    else current = current.cause;
  }
  return 'unknown';
}

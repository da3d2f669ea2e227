import type { Trouble } from './guarded-fetch.ts';

/** A server that asks for a longer wait than this is not waited for, in ms. */
const LONGEST_RETRY_AFTER_MS = 30_000;

/** The wait before the next attempt in ms, or null when the request must not be repeated. */
export function retryDelay(
  trouble: Trouble | null,
  attempt: number,
  delaysMs: readonly number[],
): number | null {
  const delay = delaysMs[attempt];
  if (trouble === null || delay === undefined) return null;
  switch (trouble.kind) {
    case 'network':
      return delay;
    case 'status': {
      const { status, retryAfterMs } = trouble;
      if (status !== 408 && status !== 429 && status < 500) return null;
      if (retryAfterMs === null) return delay;
      return retryAfterMs > LONGEST_RETRY_AFTER_MS ? null : Math.max(delay, retryAfterMs);
    }
    case 'silent':
    case 'too-large':
      return null;
  }
}

/** Codes of a connection that broke after it was made. */
const LOST = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

/** Whether a connection was there before. */
export function isLost(code: string): boolean {
  return LOST.has(code);
}

/** A busy server may say so within a stream that began well (Anthropic): then it counts like its status 529. */
export function busyTrouble(detail: string): Trouble | null {
  return detail.includes('overloaded_error') ? { kind: 'status', status: 529, retryAfterMs: null } : null;
}

/** A sentence about a failed request; `detail` is what the SDK or the provider said. */
export function describeTrouble(trouble: Trouble | null, baseUrl: string, detail: string): string {
  if (trouble === null) return `The answer of the model server could not be used: ${detail}`;
  switch (trouble.kind) {
    case 'network':
      return isLost(trouble.code)
        ? `The connection to the model server at ${hostOf(baseUrl)} was lost.`
        : `Cannot reach the model server at ${hostOf(baseUrl)}: ${networkReason(trouble.code)}.`;
    case 'status':
      return `The model server answered with an error (${trouble.status}): ${detail}`;
    case 'silent':
      return `The model server sent nothing for ${trouble.afterMs / 1000} s.`;
    case 'too-large':
      return 'The answer of the model server is too large.';
  }
}

/** The same for people, with a next step: nothing that the provider said. */
export function troubleNotice(trouble: Trouble | null, baseUrl: string): string {
  if (trouble === null)
    return 'The answer of the model server could not be used. Try again, or choose another model with F5.';
  switch (trouble.kind) {
    case 'network':
      if (isLost(trouble.code))
        return `The connection to the model server at ${hostOf(baseUrl)} was lost. Send again.`;
      return `The model server at ${hostOf(baseUrl)} cannot be reached (${networkReason(trouble.code)}). Start it or check the address, then send again.`;
    case 'status':
      return statusNotice(trouble.status);
    case 'silent':
      return `The model server sent nothing for ${trouble.afterMs / 1000} s. Try again.`;
    case 'too-large':
      return 'The answer of the model server is too large. Ask for less at once.';
  }
}

function statusNotice(status: number): string {
  switch (status) {
    case 401:
    case 403:
      return `The model server refuses the key (${status}). Set the right key, run magi-term daemon stop, and start again.`;
    case 404:
      return 'The model server does not know the model or the address (404). Choose another with F5, or mend the settings.';
    case 429:
      return 'The model server is busy, or the quota is used up (429). Wait, then send again.';
    default:
      return `The model server answered with an error (${status}). Try again later.`;
  }
}

/** Network codes in words. */
export function networkReason(code: string): string {
  switch (code) {
    case 'ECONNREFUSED':
      return 'connection refused';
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return 'the name cannot be resolved';
    case 'ETIMEDOUT':
    case 'UND_ERR_CONNECT_TIMEOUT':
      return 'no connection in time';
    case 'unknown':
      return 'the request could not be sent';
    default:
      return `network error ${code}`;
  }
}

/** Host and port of an address; never a user name or a query. */
export function hostOf(baseUrl: string): string {
  return URL.canParse(baseUrl) ? new URL(baseUrl).host : 'an address that is not valid';
}

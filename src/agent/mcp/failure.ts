/**
 * Why an MCP server cannot be used. Invariant: `words` are fixed, hold at most what the settings say (never what the
 * server said), and are told once.
 */
import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client';
import { networkCode } from '../provider/guarded-fetch.ts';
import { isLost, networkReason } from '../provider/trouble.ts';
import { messageOf } from '../turn.ts';

export class McpFailure extends Error {
  /** What happened, for people and the model. */
  readonly words: string;
  #isTold = false;

  /** @param detail for the log: it may quote the server */
  constructor(words: string, detail: string) {
    super(detail);
    this.name = 'McpFailure';
    this.words = words;
  }

  /** Tells it the first time. */
  tellOnce(tell: (words: string) => void): void {
    if (!this.#isTold) tell(this.words);
    this.#isTold = true;
  }
}

/** Why a connection could not be made. */
export function startFailure(error: unknown, timeoutMs: number): McpFailure {
  if (error instanceof McpFailure) return error;
  return new McpFailure(startWords(error, timeoutMs), messageOf(error));
}

function startWords(error: unknown, timeoutMs: number): string {
  if (isTimeout(error)) return `it was not ready within ${timeoutMs / 1000} s`;
  const http = httpWords(error);
  if (http !== null) return http;
  if (isClosed(error)) return 'it ended before it was ready';
  if (error instanceof SdkError || error instanceof ProtocolError) return 'it does not speak MCP as expected';
  switch (networkCode(error)) {
    case 'ENOENT':
      return 'its command or folder was not found';
    case 'EACCES':
      return 'its command may not be run';
    case 'unknown':
      return 'it does not speak MCP as expected';
    default:
      return reachWords(networkCode(error));
  }
}

/** Statuses after which the same connection is of no use: credentials or session are not known. */
const LOSING: ReadonlySet<number> = new Set([401, 403, 404]);

/** Why the connection is lost, when a call failed in this way; null when it is the call alone. */
export function lossOf(error: unknown): McpFailure | null {
  if (isTimeout(error)) return null;
  if (isClosed(error)) return new McpFailure('it ended during a call', messageOf(error));
  const http = error instanceof SdkHttpError && LOSING.has(error.status) ? httpWords(error) : null;
  if (http !== null) return new McpFailure(http, messageOf(error));
  const code = networkCode(error);
  if (error instanceof TypeError && code !== 'unknown')
    return new McpFailure(reachWords(code), messageOf(error));
  return null;
}

function reachWords(code: string): string {
  return isLost(code) ? 'the connection to it was lost' : `it cannot be reached (${networkReason(code)})`;
}

export function isTimeout(error: unknown): boolean {
  if (error instanceof SdkError) return error.code === SdkErrorCode.RequestTimeout;
  return error instanceof DOMException && error.name === 'TimeoutError';
}

function isClosed(error: unknown): boolean {
  if (!(error instanceof SdkError)) return false;
  const { code } = error;
  return (
    code === SdkErrorCode.ConnectionClosed ||
    code === SdkErrorCode.NotConnected ||
    code === SdkErrorCode.SendFailed
  );
}

function httpWords(error: unknown): string | null {
  if (!(error instanceof SdkHttpError)) return null;
  const { status } = error;
  if (status === 401 || status === 403) return `it refuses the credentials (${status}), see headersEnv`;
  return status === 404
    ? 'there is no MCP server at its address (404)'
    : `it answered with an error (${status})`;
}

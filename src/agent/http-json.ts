/** What a small JSON request needs. */
export interface JsonRequest {
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** For the whole exchange, in ms. */
  readonly timeoutMs: number;
  readonly maxBytes: number;
}

/** GETs JSON with a bounded body. Rejects on any status but 2xx, redirects, bad JSON, size and time. */
export async function fetchJson(url: string, request: JsonRequest): Promise<unknown> {
  const response = await fetch(url, {
    headers: { accept: 'application/json', ...request.headers },
    signal: AbortSignal.any([request.signal, AbortSignal.timeout(request.timeoutMs)]),
    redirect: 'error',
  });
  try {
    if (!response.ok) throw new HttpStatusError(response.status);
    return JSON.parse(await readBounded(response, request.maxBytes));
  } finally {
    if (!response.bodyUsed) await response.body?.cancel();
  }
}

/** An answer that is not a success. */
export class HttpStatusError extends Error {
  readonly status: number;

  constructor(status: number) {
    super(`status ${status}`);
    this.status = status;
  }
}

async function readBounded(response: Response, maxBytes: number): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of response.body ?? []) {
    size += part.byteLength;
    if (size > maxBytes) throw new Error('the answer is too large');
    parts.push(part);
  }
  return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(parts));
}

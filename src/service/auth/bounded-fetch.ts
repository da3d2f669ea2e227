/** The way to the token endpoint: the answer is bounded in size, and its status is remembered for the log. */

/** A token answer has a few kilobytes. */
const MAX_BYTES = 262_144;

export interface BoundedFetch {
  readonly fetch: typeof globalThis.fetch;
  /** Status of the last answer; null before there is one. */
  status(): number | null;
}

export function createBoundedFetch(): BoundedFetch {
  let status: number | null = null;
  const bounded: typeof globalThis.fetch = async (input, init) => {
    const response = await globalThis.fetch(input, init);
    ({ status } = response);
    const text = await readBounded(response);
    const headers = new Headers(response.headers);
    for (const name of ['content-encoding', 'content-length']) headers.delete(name);
    return new Response(withTokenType(text), { status, headers });
  };
  return { fetch: bounded, status: () => status };
}

async function readBounded(response: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of response.body ?? []) {
    size += part.byteLength;
    if (size > MAX_BYTES) throw new Error('the answer is too large');
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

/** The standard asks for a token type; the issuer's own clients do without, and mean `bearer`. */
function withTokenType(text: string): string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return text;
  }
  if (typeof value !== 'object' || value === null || !('access_token' in value)) return text;
  return 'token_type' in value ? text : JSON.stringify({ ...value, token_type: 'bearer' });
}

/**
 * A server at an address, over streamable HTTP. Invariants: headers go to that address alone, since redirects are
 * refused; no answer is read without a bound.
 */
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { hostOf } from '../provider/trouble.ts';

const MAX_BODY_BYTES = 16 * 1024 * 1024;

export function httpTransport(
  url: string,
  headers: Readonly<Record<string, string>>,
): StreamableHTTPClientTransport {
  return new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { ...headers }, redirect: 'error' },
    fetch: async (input, init) => bounded(await fetch(input, init), hostOf(url)),
  });
}

/** The same response, whose body breaks off when it grows too large. */
function bounded(response: Response, host: string): Response {
  if (response.body === null) return response;
  let size = 0;
  const limit = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      size += chunk.byteLength;
      if (size > MAX_BODY_BYTES) controller.error(new Error(`an answer of ${host} is too large`));
      else controller.enqueue(chunk);
    },
  });
  const { headers, status, statusText } = response;
  return new Response(response.body.pipeThrough(limit), { headers, status, statusText });
}

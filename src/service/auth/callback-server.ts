/**
 * Waits on this machine for the browser to come back from the issuer (PROTOCOL.md, "Authentication").
 * Invariants: only loopback addresses listen; only GET of the callback path with the attempt's state is taken, once;
 * pages are fixed and repeat nothing of what was asked. Who cannot listen signs in by hand.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CALLBACK_PATH } from './oauth-settings.ts';

/** `refused`: taken, and it says no. `foreign`: not of this attempt. `late`: one was taken before. */
export type Reception = 'taken' | 'refused' | 'late' | 'foreign';

export interface CallbackHost {
  /** Decides about an answer; a taken one is delivered once the browser has its page. */
  receive(parameters: URLSearchParams): Reception;
  deliver(parameters: URLSearchParams): void;
}

export interface CallbackListener {
  readonly port: number;
  close(): Promise<void>;
}

const MAX_CONNECTIONS = 8;
const REQUEST_MS = 5_000;
const PAGES = {
  taken: [200, 'The sign-in has arrived. Go back to the terminal; this page can be closed.'],
  refused: [400, 'The sign-in was refused. Go back to the terminal; this page can be closed.'],
  late: [400, 'The sign-in had arrived before. Go back to the terminal; this page can be closed.'],
  foreign: [400, 'This page belongs to no sign-in that is waiting. Start it again in the terminal.'],
  missing: [404, 'There is nothing here.'],
  method: [405, 'There is nothing here.'],
} as const;

/**
 * Null when the port cannot be had. Browsers read `localhost` as either address, most of them as ::1 first: where
 * another program has that one, the answer would go there, and the port counts as taken. A machine without ::1 does
 * with the other one.
 */
export async function listenForCallback(port: number, host: CallbackHost): Promise<CallbackListener | null> {
  const first = await listen(port, '127.0.0.1', host);
  if (typeof first === 'string') return null;
  const chosen = portOf(first);
  const second = await listen(chosen, '::1', host);
  if (second === 'taken') {
    await close(first);
    // The system chose without a look at the other address.
    return port === 0 ? listenForCallback(port, host) : null;
  }
  const servers = second === 'impossible' ? [first] : [first, second];
  return {
    port: chosen,
    close: async () => {
      await Promise.all(servers.map(close));
    },
  };
}

/** `impossible`: there is no such address here, or no right to it. */
async function listen(
  port: number,
  address: string,
  host: CallbackHost,
): Promise<Server | 'taken' | 'impossible'> {
  // Costs 12 MB of memory, which a service without a sign-in can do without.
  const { createServer } = await import('node:http');
  const server = createServer(
    { requestTimeout: REQUEST_MS, headersTimeout: REQUEST_MS },
    (request, response) => answer(request, response, host),
  );
  server.maxConnections = MAX_CONNECTIONS;
  return new Promise((resolve) => {
    server.once('error', (error) =>
      resolve('code' in error && error.code === 'EADDRINUSE' ? 'taken' : 'impossible'),
    );
    server.listen(port, address, () => {
      server.on('error', () => undefined);
      resolve(server);
    });
  });
}

function answer(request: IncomingMessage, response: ServerResponse, host: CallbackHost): void {
  const url = URL.parse(request.url ?? '', 'http://localhost');
  if (url?.pathname !== CALLBACK_PATH) {
    page(response, 'missing');
    return;
  }
  if (request.method !== 'GET') {
    page(response, 'method');
    return;
  }
  const reception = host.receive(url.searchParams);
  if (reception === 'taken' || reception === 'refused')
    response.once('close', () => host.deliver(url.searchParams));
  page(response, reception);
}

function page(response: ServerResponse, name: keyof typeof PAGES): void {
  const [status, words] = PAGES[name];
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'none'",
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    connection: 'close',
  });
  response.end(`<!doctype html><meta charset="utf-8"><title>magi-term</title><p>${words}</p>\n`);
}

function portOf(server: Server): number {
  const address: AddressInfo | string | null = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

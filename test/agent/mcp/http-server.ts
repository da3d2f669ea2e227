/** Servers at a loopback address: the fixture, and one that answers as the test says. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { onTestFinished } from 'vitest';
import { fixtureServer } from './fixture-server.ts';

export interface HttpServer {
  readonly url: string;
  /** Headers of every request. */
  readonly seen: readonly NodeJS.Dict<string | string[]>[];
  close(): Promise<void>;
}

type Answer = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

export async function listening(answer: Answer, port = 0): Promise<HttpServer> {
  const seen: NodeJS.Dict<string | string[]>[] = [];
  const server = createServer((request, response) => {
    seen.push(request.headers);
    void answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  onTestFinished(close);
  const address = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${address.port}/mcp`, seen, close };
}

/** The fixture over streamable HTTP. */
export function fixtureOverHttp(port = 0): Promise<HttpServer> {
  const handler = createMcpHandler(() => fixtureServer());
  return listening(async (request, response) => {
    const body = request.method === 'POST' ? await bodyOf(request) : null;
    const headers = Object.entries(request.headers).map(
      ([name, value]) => [name, String(value)] as [string, string],
    );
    const answer = await handler.fetch(
      new Request(`http://127.0.0.1${request.url}`, { method: request.method ?? 'GET', headers, body }),
    );
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    for await (const part of answer.body ?? []) response.write(part);
    response.end();
  }, port);
}

/** Speaks the older protocol by hand; `result` says what a request gives, `isFailing` what is answered with 503. */
export function byHand(
  result: (method: string) => unknown,
  isFailing: (message: { method: string }) => boolean = () => false,
): Promise<HttpServer> {
  return listening(async (request, response) => {
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const message = JSON.parse(await bodyOf(request));
    if (message.id === undefined) return void response.writeHead(202).end();
    if (isFailing(message)) return void response.writeHead(503).end();
    const known = message.method === 'initialize' ? WELCOME : result(message.method);
    const answer = known === undefined ? { error: { code: -32601, message: 'unknown' } } : { result: known };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, ...answer }));
  });
}

const WELCOME = {
  protocolVersion: '2025-06-18',
  capabilities: { tools: {} },
  serverInfo: { name: 'by hand', version: '1' },
};

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text;
}

/** A server on loopback that plays the Responses stream of Codex, as the test says. */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { zstdDecompressSync } from 'node:zlib';

export type CodexStep =
  | { readonly text: string }
  | { readonly thinking: string }
  | { readonly toolCall: string; readonly args: object };

export interface SeenCodexRequest {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: {
    readonly model: string;
    readonly input: readonly CodexItem[];
    readonly [name: string]: unknown;
  };
}

export interface CodexItem {
  readonly type?: string;
  readonly role?: string;
  readonly name?: string;
  readonly output?: unknown;
  readonly content?: unknown;
}

export interface CodexServer {
  /** Goes into MAGI_TERM_CODEX_BASE_URL. */
  readonly url: string;
  readonly requests: readonly SeenCodexRequest[];
  close(): Promise<void>;
}

/** A number is a status. */
export type CodexScript = (request: SeenCodexRequest) => readonly CodexStep[] | number;

export async function startCodexServer(script: CodexScript): Promise<CodexServer> {
  const requests: SeenCodexRequest[] = [];
  const server = createServer(async (request, response) => {
    const raw = await bytesOf(request);
    const json = request.headers['content-encoding'] === 'zstd' ? zstdDecompressSync(raw) : raw;
    const seen = {
      path: request.url ?? '',
      headers: request.headers,
      body: JSON.parse(json.toString('utf8')),
    };
    requests.push(seen);
    const answer = script(seen);
    if (typeof answer === 'number') {
      response.writeHead(answer, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: { code: 'made_up', message: `scripted words ${answer}` } }));
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const event of eventsOf(answer)) response.write(`data: ${JSON.stringify(event)}\n\n`);
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/backend-api`,
    requests,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function* eventsOf(steps: readonly CodexStep[]): Generator<object> {
  yield { type: 'response.created', response: { id: 'resp_1' } };
  const output: object[] = [];
  for (const [output_index, step] of steps.entries()) {
    const { done, item, pieces } = itemOf(step, output_index);
    yield { type: 'response.output_item.added', output_index, item };
    for (const piece of pieces) yield { ...piece, output_index, item_id: `item_${output_index}` };
    yield { type: 'response.output_item.done', output_index, item: done };
    output.push(done);
  }
  const usage = {
    input_tokens: 1_000,
    input_tokens_details: { cached_tokens: 400 },
    output_tokens: 50,
    output_tokens_details: { reasoning_tokens: 10 },
    total_tokens: 1_050,
  };
  yield { type: 'response.completed', response: { id: 'resp_1', status: 'completed', output, usage } };
}

function itemOf(step: CodexStep, index: number): { item: object; pieces: object[]; done: object } {
  const id = `item_${index}`;
  if ('text' in step) {
    const item = { type: 'message', id, role: 'assistant', status: 'in_progress', content: [] };
    const part = { type: 'output_text', text: step.text, annotations: [] };
    const pieces = [
      { type: 'response.content_part.added', content_index: 0, part: { ...part, text: '' } },
      { type: 'response.output_text.delta', content_index: 0, delta: step.text },
    ];
    return { item, pieces, done: { ...item, status: 'completed', content: [part] } };
  }
  if ('thinking' in step) {
    const item = { type: 'reasoning', id, summary: [] };
    const part = { type: 'summary_text', text: step.thinking };
    const pieces = [
      { type: 'response.reasoning_summary_part.added', summary_index: 0, part: { ...part, text: '' } },
      { type: 'response.reasoning_summary_text.delta', summary_index: 0, delta: step.thinking },
      { type: 'response.reasoning_summary_part.done', summary_index: 0, part },
    ];
    return { item, pieces, done: { ...item, summary: [part], encrypted_content: 'made-up' } };
  }
  const json = JSON.stringify(step.args);
  const item = {
    type: 'function_call',
    id: `fc_${index}`,
    call_id: `call_${index}`,
    name: step.toolCall,
    arguments: '',
  };
  const pieces = [{ type: 'response.function_call_arguments.delta', delta: json }];
  return { item, pieces, done: { ...item, arguments: json } };
}

async function bytesOf(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(Buffer.from(part));
  return Buffer.concat(parts);
}

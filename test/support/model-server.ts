import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { anthropicEncoder, anthropicMessages } from './model-server-anthropic.ts';
import { openAiEncoder, openAiMessages } from './model-server-openai.ts';
import {
  type ModelApi,
  type ModelScript,
  type ModelStep,
  recordOf,
  type ScriptRequest,
  type StreamEncoder,
} from './model-server-steps.ts';

export type { ModelApi, ModelScript } from './model-server-steps.ts';

/**
 * A model server on loopback whose answers are scripted. It speaks OpenAI chat completions
 * (`/v1/chat/completions`, `/v1/models`) and Anthropic Messages (`/v1/messages`).
 * Stand-alone: `node test/support/model-server.ts [port]` prints its address and repeats what it is told.
 */
export interface ModelServer {
  /** `http://127.0.0.1:port`, without a path. */
  readonly url: string;
  /** Every model request so far, oldest first. */
  readonly requests: readonly SeenRequest[];
  /** How many model requests are being answered now. */
  readonly open: number;
  close(): Promise<void>;
}

export interface SeenRequest {
  readonly api: ModelApi;
  readonly headers: IncomingMessage['headers'];
  readonly body: Record<string, unknown>;
}

export interface ModelServerOptions {
  readonly script: ModelScript;
  /** 0 picks a free one. */
  readonly port?: number;
  /** Ids in `/v1/models`. */
  readonly models?: readonly string[];
  /** Context window of every model in that list, in tokens. */
  readonly contextLength?: number;
  /** Size of one delta, in characters. */
  readonly chunkChars?: number;
  /** Pause before each delta, in ms. */
  readonly chunkDelayMs?: number;
}

/** Starts the server; it is listening when the promise resolves. */
export async function startModelServer(options: ModelServerOptions): Promise<ModelServer> {
  const requests: SeenRequest[] = [];
  const attempts = new Map<string, number>();
  let open = 0;

  const answer = async (api: ModelApi, request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const raw = await readBody(request);
    const body = recordOf(JSON.parse(raw));
    const attempt = attempts.get(raw) ?? 0;
    attempts.set(raw, attempt + 1);
    requests.push({ api, headers: request.headers, body });
    const gone = new AbortController();
    response.on('close', () => gone.abort());
    open += 1;
    try {
      const { encoder, seen } = prepare(api, body, attempt);
      await play(options.script(seen), { encoder, response, signal: gone.signal, options });
    } finally {
      open -= 1;
    }
  };

  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://loopback');
    const api = API_OF_PATH[pathname];
    if (request.method === 'POST' && api !== undefined) {
      // A client that goes away is what many tests are about.
      answer(api, request, response).catch(() => response.destroy());
    } else if (request.method === 'GET' && pathname === '/v1/models') {
      sendJson(response, 200, {
        object: 'list',
        data: (options.models ?? ['scripted-1']).map((id) => ({
          id,
          object: 'model',
          context_length: options.contextLength,
        })),
      });
    } else {
      sendJson(response, 404, { error: { message: 'not found' } });
    }
  });
  const port = await new Promise<number>((resolve, reject) => {
    server.on('error', reject);
    server.listen(options.port ?? 0, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : 0);
    });
  });
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    get open() {
      return open;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const API_OF_PATH: Readonly<Record<string, ModelApi>> = {
  '/v1/chat/completions': 'openai-completions',
  '/v1/messages': 'anthropic-messages',
};

interface Prepared {
  readonly encoder: StreamEncoder;
  readonly seen: ScriptRequest;
}

function prepare(api: ModelApi, body: Record<string, unknown>, attempt: number): Prepared {
  const isOpenAi = api === 'openai-completions';
  const messages = isOpenAi ? openAiMessages(body) : anthropicMessages(body);
  const model = String(body.model);
  const chars = messages.reduce((sum, message) => sum + message.text.length, 0);
  const lastUserAt = messages.findLastIndex((message) => message.role === 'user');
  const toolResults = messages.slice(lastUserAt + 1).filter((message) => message.role === 'tool');
  return {
    encoder: isOpenAi ? openAiEncoder(model, chars) : anthropicEncoder(model, chars),
    seen: {
      api,
      model,
      messages,
      lastUser: messages[lastUserAt]?.text ?? '',
      toolResults: toolResults.map((message) => message.text),
      attempt,
    },
  };
}

interface Stage {
  readonly encoder: StreamEncoder;
  readonly response: ServerResponse;
  readonly signal: AbortSignal;
  readonly options: ModelServerOptions;
}

async function play(steps: readonly ModelStep[], stage: Stage): Promise<void> {
  const { encoder, response, signal } = stage;
  const [first] = steps;
  if (first !== undefined && 'error' in first) {
    sendJson(
      response,
      first.error,
      { error: { type: 'scripted', message: `scripted ${first.error}` } },
      first.headers,
    );
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
  response.write(encoder.start());
  for (const step of steps) {
    if (signal.aborted) return;
    if ('reset' in step) {
      // What was written before the reset must arrive.
      await new Promise<void>((resolve) => {
        response.write(': reset\n\n', () => resolve());
      });
      response.destroy();
      return;
    }
    if ('stall' in step) {
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      return;
    }
    if ('raw' in step) response.write(step.raw);
    else if ('toolCall' in step) response.write(encoder.toolCall(step.toolCall, step.args));
    else if ('text' in step) await writeChunks(step.text, encoder.text, step.delayMs, stage);
    else if ('thinking' in step) await writeChunks(step.thinking, encoder.thinking, step.delayMs, stage);
    else throw new Error('An error step must come first.');
  }
  response.end(encoder.finish());
}

async function writeChunks(
  text: string,
  encode: (delta: string) => string,
  delayMs: number | undefined,
  { response, signal, options }: Stage,
): Promise<void> {
  const size = options.chunkChars ?? 12;
  const pause = options.chunkDelayMs ?? 0;
  if (delayMs !== undefined) await sleep(delayMs, undefined, { signal });
  for (let at = 0; at < text.length; at += size) {
    if (pause > 0) await sleep(pause, undefined, { signal });
    response.write(encode(text.slice(at, at + size)));
  }
}

function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

async function readBody(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(Buffer.from(part));
  return Buffer.concat(parts).toString('utf8');
}

if (import.meta.main) {
  const server = await startModelServer({
    port: Number(process.argv[2] ?? 0),
    chunkDelayMs: 5,
    script: (request) => [{ text: `You said: ${request.lastUser}` }],
  });
  process.stdout.write(`${server.url}\n`);
}

/**
 * A model server for many turns at once, in a thread of its own: it writes each delta when it is due, and stamps it.
 * A delta is `index@microseconds;`, on the clock that all processes of this machine share.
 */
import { createServer, type ServerResponse } from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';
import { openAiEncoder, openAiMessages } from '../support/model-server-openai.ts';
import { recordOf } from '../support/model-server-steps.ts';

export interface LoadModelOptions {
  readonly deltas: number;
  readonly perSecond: number;
}

/** Microseconds. */
export function stamp(): number {
  return Number(process.hrtime.bigint() / 1_000n);
}

/** A prompt that is answered with a few deltas only. */
export const WARM_UP = 'warm up';
const WARM_DELTAS = 20;

interface Stream {
  readonly response: ServerResponse;
  readonly encoder: ReturnType<typeof openAiEncoder>;
  readonly begun: number;
  readonly deltas: number;
  sent: number;
}

const TICK_MS = 1;

function serve({ deltas: most, perSecond }: LoadModelOptions, told: (port: number) => void): void {
  const streams = new Set<Stream>();
  const write = (stream: Stream): void => {
    const { begun, deltas, encoder, response } = stream;
    const due = Math.min(deltas, Math.floor(((performance.now() - begun) * perSecond) / 1_000));
    for (; stream.sent < due; stream.sent += 1) response.write(encoder.text(`${stream.sent}@${stamp()};`));
    if (stream.sent < deltas) return;
    streams.delete(stream);
    response.end(encoder.finish());
  };
  setInterval(() => {
    for (const stream of streams) write(stream);
  }, TICK_MS);
  const server = createServer((request, response) => {
    if (request.method !== 'POST') {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end('{"object":"list","data":[]}');
      return;
    }
    let body = '';
    request.on('data', (chunk) => {
      body += String(chunk);
    });
    request.on('end', () => {
      const isWarmUp = openAiMessages(recordOf(JSON.parse(body))).at(-1)?.text === WARM_UP;
      const deltas = isWarmUp ? WARM_DELTAS : most;
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const encoder = openAiEncoder('test-1', 0);
      response.write(encoder.start());
      const stream = { response, encoder, begun: performance.now(), deltas, sent: 0 };
      streams.add(stream);
      response.on('close', () => streams.delete(stream));
    });
  });
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    if (typeof address === 'object' && address !== null) told(address.port);
  });
}

if (parentPort !== null) {
  const port = parentPort;
  serve(workerData, (number) => port.postMessage(number));
}

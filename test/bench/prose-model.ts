/** A model server in a thread of its own that writes prose: each delta when it is due, whatever else the machine does. */
import { createServer, type ServerResponse } from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';
import { openAiEncoder } from '../support/model-server-openai.ts';

export interface ProseOptions {
  /** Of every answer. */
  readonly deltas: number;
  readonly perSecond: number;
}

/** Its window holds the longest session of a bench: no turn begins with a summary. */
const MODEL = { id: 'test-1', object: 'model', context_length: 1_000_000_000 };
const TICK_MS = 1;
const WORDS_A_PARAGRAPH = 60;

/** A word of the answer; paragraphs as people are used to them. */
export function proseWord(index: number): string {
  if (index % WORDS_A_PARAGRAPH === WORDS_A_PARAGRAPH - 1) return `end${index}.\n\n`;
  return index % 17 === 5 ? `**bold${index}** ` : `word${index} `;
}

function serve({ deltas, perSecond }: ProseOptions, told: (port: number) => void): void {
  const server = createServer((request, response) => {
    request.resume();
    if (request.method === 'POST') {
      request.on('end', () => answer(response, { deltas, perSecond }));
      return;
    }
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ object: 'list', data: [MODEL] }));
  });
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    if (typeof address === 'object' && address !== null) told(address.port);
  });
}

function answer(response: ServerResponse, { deltas, perSecond }: ProseOptions): void {
  const encoder = openAiEncoder('test-1', 0);
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(encoder.start());
  const begun = performance.now();
  let sent = 0;
  const timer = setInterval(() => {
    const due = Math.min(deltas, Math.floor(((performance.now() - begun) * perSecond) / 1_000));
    for (; sent < due; sent += 1) response.write(encoder.text(proseWord(sent)));
    if (sent < deltas) return;
    clearInterval(timer);
    response.end(encoder.finish());
  }, TICK_MS);
  response.on('close', () => clearInterval(timer));
}

if (parentPort !== null) {
  const port = parentPort;
  serve(workerData, (number) => port.postMessage(number));
}

import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import type { Message } from '@earendil-works/pi-ai';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createAgentRuntime } from '../../src/agent/create-runtime.ts';
import { imageKind } from '../../src/agent/image-kind.ts';
import { newestImages } from '../../src/agent/provider/images.ts';
import type { AttachedImage, HistoryItem, TurnRequest } from '../../src/agent/runtime.ts';
import { readTool } from '../../src/agent/tools/read.ts';
import type { ModelScript } from '../support/model-server.ts';
import { recordOf, recordsOf } from '../support/model-server-steps.ts';
import { png } from './image-support.ts';
import {
  APIS,
  eventsOf,
  modelServer,
  type NetworkApi,
  ofType,
  providerAt,
  runTool,
  tempFolder,
  textOf,
  turnRequest,
} from './support.ts';

/** Models that are known to see, behind an address that is not the vendor's. */
const SEEING = { 'anthropic-messages': 'claude-sonnet-4-6', 'openai-completions': 'gpt-4o' } as const;
const runtime = createAgentRuntime({ timing: { retryDelaysMs: [1] } });

async function files(...images: readonly Buffer[]): Promise<AttachedImage[]> {
  const folder = await tempFolder();
  return Promise.all(
    images.map(async (bytes, at) => {
      const path = join(folder, `${at}`);
      await writeFile(path, bytes);
      return { name: `shot-${at}.png`, path };
    }),
  );
}

/** Base64 of the images in a request of either API, wherever they stand. */
function imagesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(imagesIn);
  if (typeof value !== 'object' || value === null) return [];
  const block = recordOf(value);
  if (block.type === 'image') return [String(recordOf(block.source).data)];
  if (block.type === 'image_url')
    return [String(recordOf(block.image_url).url).replace('data:image/png;base64,', '')];
  return Object.values(block).flatMap(imagesIn);
}

async function turn(api: NetworkApi, script: ModelScript, changes: Partial<TurnRequest>) {
  const server = await modelServer({ script });
  const workspace = await tempFolder();
  await writeFile(join(workspace, 'shot.png'), png(3, 5));
  const provider = providerAt(server.url, api);
  const request = turnRequest(workspace, { provider, modelId: SEEING[api], ...changes });
  const events = await eventsOf(runtime.startTurn(request));
  return {
    events,
    shown: server.requests.map(({ body }) => imagesIn(body.messages)),
    requests: server.requests,
  };
}

const done: ModelScript = () => [{ text: 'done' }];

describe.each(APIS)('images over %s', (api) => {
  test('stand behind the prompt as parts of their own', async () => {
    const image = png(3, 5);
    const { requests, shown } = await turn(api, done, { prompt: 'look [note]', images: await files(image) });
    expect(shown).toEqual([[image.toString('base64')]]);
    const last = recordsOf(requests[0]?.body.messages).at(-1);
    expect(recordsOf(last?.content).map(({ type }) => type)).toEqual([
      'text',
      api === 'anthropic-messages' ? 'image' : 'image_url',
    ]);
    expect(JSON.stringify(last)).toContain('look [note]');
  });

  test('are not sent to a model that is not known to see', async () => {
    const { requests, shown } = await turn(api, done, {
      modelId: 'scripted-1',
      prompt: 'look [note]',
      images: await files(png(3, 5)),
    });
    expect(shown).toEqual([[]]);
    expect(JSON.stringify(requests[0]?.body.messages)).toContain('look [note]');
    expect(JSON.stringify(requests[0]?.body.messages)).not.toContain('image');
  });

  test('that a provider would refuse are named with the reason', async () => {
    const images = await files(png(3, 5, 3_600_000), png(9_000, 5), Buffer.from('no image'), png(3, 5));
    const { requests, shown } = await turn(api, done, {
      images: [...images, { name: 'gone', path: '/no/such' }],
    });
    expect(shown[0]).toHaveLength(1);
    const sent = JSON.stringify(recordsOf(requests[0]?.body.messages).at(-1)).replaceAll('\\"', "'");
    for (const words of [
      "['shot-0.png' is not shown: 3600000 bytes are more than",
      "['shot-1.png' is not shown: 9000 × 5 pixels are more than",
      "['shot-2.png' is not shown: it is damaged",
      "['gone' is not shown: it is no longer there.]",
    ])
      expect(sent).toContain(words);
  });

  test('of earlier turns are shown again, the newest four of them', async () => {
    const all = [1, 2, 3, 4, 5, 6].map((size) => png(size, size));
    const attached = await files(...all);
    const history = attached.slice(0, 5).flatMap((image, at): HistoryItem[] => [
      { kind: 'user', text: `look at ${at}`, images: [image] },
      { kind: 'assistant', text: 'seen' },
    ]);
    const { shown } = await turn(api, done, { history, images: attached.slice(5) });
    expect(shown[0]).toEqual(all.slice(1).map((bytes) => bytes.toString('base64')));
  });

  test('are shown by the tool read, and stand in no event', async () => {
    const { events, shown } = await turn(
      api,
      ({ messages }) => {
        const results = messages.filter(({ role }) => role === 'tool').map(({ text }) => text);
        if (results.length > 0) return [{ text: results.join() }];
        return [{ toolCall: 'read', args: { path: 'shot.png' } }];
      },
      {},
    );
    const base64 = png(3, 5).toString('base64');
    expect(shown).toEqual([[], [base64]]);
    expect(textOf(events)).toContain('3 × 5 pixels');
    expect(ofType(events, 'tool-end')).toMatchObject([
      { status: 'ok', output: '[Image shot.png: image/png, 3 × 5 pixels.]' },
    ]);
    expect(JSON.stringify(events)).not.toContain(base64);
  });

  test('that a server refuses after all are left out, and people are told', async () => {
    const refusing: ModelScript = ({ attempt, messages }) => {
      const isShown = !messages.some(({ text }) => text.includes('image omitted'));
      return isShown && attempt === 0 ? [{ error: 400 }] : [{ text: 'I see nothing' }];
    };
    const { events, shown } = await turn(api, refusing, { images: await files(png(3, 5)) });
    expect(events.at(-1)).toEqual({ type: 'end', status: 'completed' });
    expect(shown.map(({ length }) => length)).toEqual([1, 0]);
    expect(ofType(events, 'notice').map(({ text }) => text)).toEqual([
      expect.stringContaining('refused a request with images'),
    ]);
  });
});

test('a request holds a bounded number of images, the newest', () => {
  const image = (data: string) => ({ type: 'image', data, mimeType: 'image/png' }) as const;
  const messages = Array.from({ length: 25 }, (_, at): Message => {
    return { role: 'user', content: [{ type: 'text', text: 't' }, image(`${at}`)], timestamp: 0 };
  });
  const kept = newestImages(messages);
  expect(kept[4]).toEqual({
    ...messages[4],
    content: [{ type: 'text', text: 't' }, expect.objectContaining({ type: 'text' })],
  });
  expect(kept.slice(5)).toEqual(messages.slice(5));
  const large = [image('a'.repeat(9_000_000)), image('b'.repeat(9_000_000)), image('c'.repeat(9_000_000))];
  const [bounded] = newestImages([{ role: 'user', content: large, timestamp: 0 }]);
  expect(Array.isArray(bounded?.content) && bounded.content.map(({ type }) => type)).toEqual([
    'text',
    'image',
    'image',
  ]);
});

test('a server may say which of its models see', async () => {
  const listed = [
    { id: 'seeing', architecture: { input_modalities: ['text', 'image'] } },
    { id: 'blind', architecture: { input_modalities: ['text'] } },
    { id: 'odd', architecture: 'unknown' },
  ];
  const server = await modelServer({ script: done });
  const front = createServer((request, response) => {
    if (request.url === '/v1/models') return response.end(JSON.stringify({ data: listed }));
    response.writeHead(307, { location: `${server.url}${request.url}` });
    return response.end();
  });
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', () => resolve()));
  onTestFinished(() => {
    front.closeAllConnections();
    front.close();
  });
  const address = front.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  const models = await runtime.listModels(
    providerAt(url, 'openai-completions'),
    new AbortController().signal,
  );
  expect(models.map(({ id, images }) => [id, images])).toEqual([
    ['seeing', true],
    ['blind', undefined],
    ['odd', undefined],
  ]);
});

describe('the tool read', () => {
  test('says of an image that this model cannot see it, or why it is not shown', async () => {
    const workspace = await tempFolder();
    await writeFile(join(workspace, 'a.png'), png(3, 5));
    await writeFile(join(workspace, 'large.png'), png(3, 5, 3_600_000));
    const read = async (path: string, seesImages: boolean) => {
      const { image, output, status } = await runTool(readTool, workspace, { path }, { seesImages });
      return { status, output, mimeType: image?.mimeType };
    };
    expect(await read('a.png', false)).toEqual({
      status: 'error',
      output: 'a.png is an image (image/png, 64 bytes), and this model cannot see images.',
      mimeType: undefined,
    });
    expect(await read('a.png', true)).toEqual({
      status: 'ok',
      output: '[Image a.png: image/png, 3 × 5 pixels.]',
      mimeType: 'image/png',
    });
    expect(await read('large.png', true)).toMatchObject({
      status: 'error',
      output: expect.stringMatching(/^large\.png is an image, and is not shown: 3600000 bytes/u),
    });
  });
});

test.each([
  ['a PNG', png(3, 5), { mimeType: 'image/png', size: { width: 3, height: 5 } }],
  ['a PNG without a size', png(0, 5), { mimeType: 'image/png', size: null }],
  [
    'a GIF',
    Buffer.from('GIF89a\u0003\0\u0005\0', 'latin1'),
    { mimeType: 'image/gif', size: { width: 3, height: 5 } },
  ],
  [
    'a JPEG',
    Buffer.from('ffd8ffe000040000ffc0000b0800050003', 'hex'),
    { mimeType: 'image/jpeg', size: { width: 3, height: 5 } },
  ],
  ['a JPEG that ends early', Buffer.from('ffd8ffe0ffff', 'hex'), { mimeType: 'image/jpeg', size: null }],
  [
    'a WebP',
    Buffer.concat([Buffer.from('RIFF0000WEBPVP8X'), Buffer.from('0000000000000000020000040000', 'hex')]),
    { mimeType: 'image/webp', size: { width: 3, height: 5 } },
  ],
  ['a text', Buffer.from('GIF'), null],
])('%s is known by its first bytes', (_name, bytes, kind) => {
  expect(imageKind(bytes)).toEqual(kind);
});

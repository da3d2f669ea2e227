import { describe, expect, test } from 'vitest';
import { createAgentRuntime } from '../../src/agent/create-runtime.ts';
import type { AgentTurn } from '../../src/agent/runtime.ts';
import { createSteerBox } from '../../src/agent/steer-box.ts';
import {
  APIS,
  eventsOf,
  follow,
  modelServer,
  ofType,
  providerAt,
  tempFolder,
  textOf,
  turnRequest,
} from './support.ts';

const runtime = createAgentRuntime({ timing: { retryDelaysMs: [1], demoChunkMs: 0 } });

/** Follows a turn and says something once, at the first event of a type. */
function steerAt(turn: AgentTurn, type: string, texts: readonly string[]) {
  let isSaid = false;
  return follow(turn, (event) => {
    if (event.type !== type || isSaid) return;
    isSaid = true;
    for (const text of texts) expect(turn.steer(text)).toBe(true);
  });
}

describe.each(APIS)('over %s', (api) => {
  test('reaches the model with the next request, in order', async () => {
    const server = await modelServer({
      script: ({ lastUser, messages }) =>
        lastUser === 'hello' && !messages.some(({ role }) => role === 'tool')
          ? [{ toolCall: 'list', args: {} }]
          : [{ text: `last: ${lastUser}` }],
    });
    const turn = runtime.startTurn(
      turnRequest(await tempFolder(), { provider: providerAt(server.url, api) }),
    );
    const events = await steerAt(turn, 'tool-start', ['first', 'second']);
    expect(ofType(events, 'steer-taken').map(({ text }) => text)).toEqual(['first', 'second']);
    expect(textOf(events)).toMatch(/^last: .*second$/u);
    expect(JSON.stringify(server.requests[1]?.body)).toMatch(/first.*second/u);
    expect(server.requests).toHaveLength(2);
    const types = events.map(({ type }) => type);
    expect(types.indexOf('steer-taken')).toBeGreaterThan(types.indexOf('tool-end'));
    expect(types.indexOf('steer-taken')).toBeLessThan(types.lastIndexOf('request'));
    expect(events.at(-1)).toEqual({ type: 'end', status: 'completed' });
    expect(turn.steer('late')).toBe(false);
  });

  test('makes a turn go on that would have ended', async () => {
    const server = await modelServer({ script: ({ lastUser }) => [{ text: `said ${lastUser}` }] });
    const turn = runtime.startTurn(
      turnRequest(await tempFolder(), { provider: providerAt(server.url, api) }),
    );
    const events = await steerAt(turn, 'text', ['more please']);
    expect(textOf(events)).toBe('said hello\n\nsaid more please');
    expect(ofType(events, 'request')).toHaveLength(2);
  });

  test('is not taken by a turn that fails', async () => {
    const server = await modelServer({ script: () => [{ text: 'half' }, { reset: true }] });
    const turn = runtime.startTurn(
      turnRequest(await tempFolder(), { provider: providerAt(server.url, api) }),
    );
    const events = await steerAt(turn, 'text', ['anything']);
    expect(ofType(events, 'steer-taken')).toEqual([]);
    expect(events.at(-1)).toMatchObject({ type: 'end', status: 'failed' });
  });
});

test('the demo model listens too', async () => {
  const turn = runtime.startTurn(turnRequest(await tempFolder(), { prompt: 'list files' }));
  const events = await steerAt(turn, 'tool-start', ['think']);
  expect(ofType(events, 'steer-taken')).toEqual([{ type: 'steer-taken', text: 'think' }]);
  expect(ofType(events, 'thinking')).not.toEqual([]);
  expect(textOf(events).match(/Demo model/gu)).toHaveLength(2);
  expect(events.at(-1)).toEqual({ type: 'end', status: 'completed' });
});

test('nothing is accepted after an abort', async () => {
  const turn = runtime.startTurn(turnRequest(await tempFolder(), { prompt: 'slow' }));
  turn.abort();
  expect(turn.steer('late')).toBe(false);
  expect((await eventsOf(turn)).at(-1)).toEqual({ type: 'end', status: 'cancelled' });
});

test('the box is bounded, and closes with the last look', () => {
  const box = createSteerBox(() => undefined);
  expect(Array.from({ length: 33 }, () => box.put('x')).filter(Boolean)).toHaveLength(32);
  expect(box.takeOrClose()).toHaveLength(32);
  expect(box.put('x'.repeat(600 * 1024))).toBe(false);
  expect(box.put('y')).toBe(true);
  expect(box.takeOrClose()).toEqual(['y']);
  expect(box.takeOrClose()).toEqual([]);
  expect(box.put('z')).toBe(false);
});

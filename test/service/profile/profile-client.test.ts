import { dirname } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { AgentEvent, PermissionAsk } from '../../../src/agent/runtime.ts';
import { type Connection, openConnection } from '../../../src/client/connection.ts';
import { type ControlEvent, claimSession } from '../../../src/client/session-control.ts';
import { earlierEnvelopes, laterEnvelopes } from '../../../src/client/session-profile.ts';
import { readEnvelope } from '../../../src/transcript/envelope.ts';
import { startWorld, VERSION, type World } from '../harness.ts';

let world: World;
beforeEach(async () => {
  world = await startWorld();
});
afterEach(() => world.close());

function connect(): Promise<Connection> {
  const { service, stateRoot, workspace } = world;
  return openConnection({
    directory: dirname(service.socket),
    socket: service.socket,
    identity: { workspace, stateRoot },
    version: VERSION,
    wishes: ['session_protocol_v2'],
  });
}

const call: AgentEvent = {
  type: 'tool-start',
  call: 'c1',
  name: 'bash',
  title: 'make',
  args: { command: 'make' },
};
const question: PermissionAsk = {
  call: 'c1',
  toolName: 'bash',
  kind: 'bash',
  subject: 'make',
  title: 'make',
  args: { command: 'make' },
};

test('our own client believes every word, and misses none', async () => {
  const connection = await connect();
  const closed: string[] = [];
  connection.onClose((reason) => closed.push(reason.code));
  const { session_id } = await connection.request('session.create', {}, { operationId: 'o1' });
  const held = await claimSession(connection, session_id);
  const heard: ControlEvent[] = [];
  const wakes: (() => void)[] = [];
  held.onEvent((event) => {
    heard.push(event);
    for (const wake of wakes.splice(0)) wake();
  });
  const until = async (fits: (event: ControlEvent) => boolean): Promise<void> => {
    while (!heard.some(fits)) await new Promise<void>((resolve) => wakes.push(resolve));
  };
  const isEnvelope = (t: string) => (event: ControlEvent) =>
    event.type === 'envelope' && readEnvelope(event.envelope)?.ev.t === t;
  expect(await held.configure({ permission_mode: 'default' })).toMatchObject({ permission_mode: 'default' });
  const turn = await held.startTurn('"Long"\n'.repeat(2_300), 'o2');
  const { last } = world.agent;
  last.takesSteers = true;
  last.emit({ type: 'thinking', text: 'hm' });
  last.say('I will make it. ');
  last.emit(call);
  const answer = last.request.permit(question, new AbortController().signal);
  await until(isEnvelope('permission-request'));
  await held.answer(turn, 'c1', 'allow-once');
  expect(await answer).toEqual({ allowed: true, by: 'user' });
  last.emit({
    type: 'tool-end',
    call: 'c1',
    status: 'ok',
    output: 'é'.repeat(20_000),
    outputBytes: 40_000,
    durationMs: 1,
    timedOut: false,
  });
  await held.steer(turn, 'And test it.');
  for (let index = 0; index < 400; index += 1) last.say(`line ${index}\n`.repeat(20));
  last.complete();
  await until((event) => event.type === 'terminal');
  await connection.request(
    'session.rename',
    { title: 'Made' },
    { sessionId: session_id, control: held.grant, operationId: 'o3' },
  );
  const all: unknown[] = [];
  let first = '';
  for await (const page of earlierEnvelopes(connection, session_id)) {
    all.unshift(...page.envelopes.map(({ envelope }) => envelope));
    first = page.first_cursor ?? first;
  }
  const sent = heard.filter((event) => event.type === 'envelope').map(({ envelope }) => envelope);
  expect(all.slice(1)).toEqual(sent);
  const later: unknown[] = [];
  for await (const page of laterEnvelopes(connection, session_id, first))
    later.push(...page.envelopes.map(({ envelope }) => envelope));
  expect(later).toEqual(sent);
  let output = '';
  for (let offset: number | null = 0; offset !== null; ) {
    const range: { text: string; next_offset: number | null } = await connection.request(
      'tool.output',
      { call: 'c1', offset, limit: 10_001 },
      { sessionId: session_id },
    );
    output += range.text;
    offset = range.next_offset;
  }
  expect(output).toBe('é'.repeat(20_000));
  const { hits } = await connection.request('session.search', { query: 'AND TEST' });
  expect(hits).toMatchObject([{ session_id, title: 'Made', snippet: 'And test it.' }]);
  await held.detach();
  expect(closed).toEqual([]);
  connection.close();
});

/**
 * One record of a recorded conversation is changed, and a real client hears the conversation: it takes every
 * record before the changed one and nothing from there on (PROTOCOL.md, "Evolution").
 */
import { expect, test } from 'vitest';
import { type Connection, openConnection } from '../../src/client/connection.ts';
import { asFailure } from '../../src/client/failure.ts';
import { settleOperation } from '../../src/client/lookup.ts';
import { type ControlledSession, claimSession } from '../../src/client/session-control.ts';
import { encodeRecord } from '../../src/wire/json.ts';
import { isMethod, OPERATIONS } from '../../src/wire/operations.ts';
import { until } from '../client/helpers.ts';
import { ScriptedService } from '../support/scripted-service.ts';
import {
  add,
  again,
  all,
  bothLimits,
  capability,
  drop,
  fields,
  holding,
  isHello,
  type JsonObject,
  labelOf,
  labelsBefore,
  labelsIn,
  lacking,
  lineAt,
  long,
  type Mutation,
  nested,
  objectOf,
  plus,
  type Row,
  set,
  type TraceLine,
  without,
  written,
} from '../support/traces.ts';

const ACCEPTED: readonly Row[] = [
  ['an unknown member of a response', '03 session.create', add('future_hint', true)],
  ['an unknown member of an event', '03 turn.started', add('future_hint', { a: [1, null] })],
  ['an unknown member of a snapshot', '05 session.claim 1', add('payload.snapshot.future', 'x')],
  ['an unknown member of an activity', '03 turn.activity', add('payload.activity.future', [false])],
  ['an unknown member of an error', '06 session.replay', add('error.future', 1)],
  ['an unknown member of a handshake', '03 hello', add('future', 1)],
  ['an unknown capability', '03 initialize', add(capability('future'), { steering: true })],
  ['an operation of the future', '03 initialize', plus(capability('operations'), 'session.rename')],
  ['a limit of the future', '03 initialize', bothLimits('max_future_page_items', 16, add)],
  ['a smaller limit', '03 initialize', bothLimits('max_string_bytes', 8_000)],
  ['the longest unknown string', '03 session.create', add('payload.future', long(16_384))],
  ['the longest unknown array', '03 session.create', add('payload.future', Array(64).fill(0))],
  ['the deepest unknown value', '03 session.create', add('payload.future', nested(32))],
  ['an error of the future', '06 session.replay', set('error.code', 'a_future_code')],
  ['the longest error message', '06 session.replay', set('error.message', long(512))],
  ['a gap', '03 turn.terminal', all(set('live_sequence', 30), set('payload.sequence', 29))],
  ['a gap in one count only', '05 turn.terminal', set('payload.sequence', 40)],
  ['provider_auth_ready false', '01 status', set('payload.provider_auth_ready', false)],
  ...holding('02 session.list', 'payload.sessions.0.', { updated_at: '2031-03-04T05:06:07+14:00' }),
  ['the transport unknown', '03 turn.activity 7', set('payload.activity.transport', 'unknown')],
  ['a parent', '03 turn.activity', add('payload.activity.parent_activity_id', 'parent')],
];

const VIOLATIONS: Readonly<Record<string, readonly Row[]>> = {
  'a record is no valid response or event': [
    ...lacking('03 session.create', ''),
    ...lacking('06 session.replay', ''),
    ...lacking('03 turn.activity 2', ''),
    ...lacking('06 session.replay', 'error'),
    ...holding('01 status', '', { instance_id: null, connection_id: null, kind: 'event' }),
    ...holding('03 turn.start', '', { protocol_version: '2', method: 7, session_id: false, error: false }),
    ...holding('03 turn.activity 2', '', { kind: 'notice', live_sequence: -1, event: null, event_id: null }),
    ...holding('03 turn.activity 2', '', { live_sequence: 4.5, grant_generation: 0, event: 1, event_id: '' }),
    ...holding('03 turn.activity 2', '', { live_sequence: '5', grant_generation: true, operation_id: 5 }),
    ...holding('03 turn.activity 2', '', { live_sequence: 2 ** 53, grant_generation: -1, event: long(65) }),
    ...holding('03 turn.activity 2', '', { live_sequence: false, protocol_version: 3, event_id: long(129) }),
    ...holding('06 session.replay', 'error.', { message: null, code: null }),
    ...holding('06 session.replay', 'error.', { message: long(513), code: long(65) }),
    ...holding('06 session.replay', '', { error: 'session is unavailable', request_id: 1 }),
  ],
  'a response must carry either a result or an error': [
    ['an error with a payload', '06 session.replay', set('payload', {})],
    ['a success without a payload', '03 turn.start', set('payload', null)],
  ],
  'a response answers no open request': [
    ['a foreign request', '03 session.create', set('request_id', 'req-99')],
    ['a request that was answered', '03 session.claim', set('request_id', 'req-create')],
    ['no request', '06 session.replay', set('request_id', null)],
  ],
  'a response does not match its request': [
    ...holding('03 session.create', '', { method: 'status', session_id: 'sess-2', operation_id: 'op-2' }),
    ...holding('06 session.replay', '', { method: null, session_id: null, operation_id: 'op-create' }),
    ...holding('03 turn.start', '', { method: 'turn.cancel', session_id: 'sess-2', operation_id: null }),
  ],
  'a record belongs to another connection': [
    ...holding('03 session.create', '', { instance_id: 'instance-2', connection_id: 'connection-2' }),
    ...holding('03 turn.activity 3', '', { instance_id: 'instance-2', connection_id: 'connection-2' }),
  ],
  'the identities of the connection contradict each other': [
    ...holding('03 initialize', 'payload.', { instance_id: 'instance-2', connection_id: 'connection-2' }),
  ],
  'the handshake line has the wrong members': [
    ...lacking('03 hello', ''),
    ...holding('03 hello', '', { status: 'almost', version: null }),
  ],
  'a snapshot belongs to another session': [
    ...holding('03 session.claim', 'payload.snapshot.', { session_id: 'sess-2', instance_id: 'instance-2' }),
  ],
  'a cancellation names another turn': [
    ...holding('04 turn.cancel', 'payload.', { turn_id: 'turn-2', session_id: 'sess-2' }),
  ],
  'a lookup names another operation': [
    ...holding('03 operation.lookup', 'payload.', { operation_id: 'op-2', target_instance_id: 'instance-2' }),
  ],
  'a result has the wrong shape': [
    ...lacking('03 initialize', 'payload'),
    ...lacking('03 initialize', 'payload.capabilities'),
    ...lacking('03 initialize', 'payload.capabilities.activity'),
    ...holding('03 initialize', 'payload.capabilities.activity.', { steering: 1, max_summary_bytes: 0 }),
    ...holding('03 initialize', 'payload.capabilities.', { transports: 'unix', events: null }),
    ['a limit of zero', '03 initialize', bothLimits('max_active_turns', 0)],
    ['a negative limit', '03 initialize', bothLimits('max_connections', -16)],
    ['a limit as a string', '03 initialize', bothLimits('max_id_bytes', '128')],
    ['a limit that is null', '03 initialize', bothLimits('max_id_bytes', null)],
    ['a new limit of zero', '03 initialize', bothLimits('max_future', 0, add)],
    ['a new limit as a string', '03 initialize', bothLimits('max_future', '16', add)],
    ['a new limit over the safe integers', '03 initialize', bothLimits('max_future', 2 ** 53, add)],
    ...lacking('01 status', 'payload'),
    ...holding('01 status', 'payload.', { provider_auth_ready: null, connected_clients: true }),
    ...holding('01 status', 'payload.', { provider_auth_ready: 'false', connected_clients: 1.5 }),
    ...holding('01 status', 'payload.', { provider_auth_ready: 1, admitted_operations: -1 }),
    ...lacking('03 session.create', 'payload'),
    ...holding('03 session.create', '', { payload: [] }),
    ...holding('01 status', 'payload.', { service: 'up' }),
    ...lacking('02 session.list', 'payload'),
    ...lacking('02 session.list', 'payload.sessions.0'),
    ...holding('02 session.list', 'payload.sessions.0.', { updated_at: '2031-03-04T05:06:07', title: 1 }),
    ...holding('02 session.list', 'payload.sessions.0.', { updated_at: null, ownership_hint: 'mine' }),
    ...holding('02 session.list', 'payload.', { incomplete: null, truncated: 0, sessions: {} }),
    ...lacking('02 session.active', 'payload.sessions.0'),
    ...holding('02 session.active', 'payload.sessions.0.', { phase: 'paused', controlled: 1 }),
    ...holding('02 session.detach', 'payload.', { status: 'released' }),
    ...lacking('03 session.claim', 'payload'),
    ...lacking('03 session.claim', 'payload.snapshot'),
    ...lacking('05 session.claim 1', 'payload.snapshot.turn'),
    ...holding('03 session.claim', 'payload.', { generation: 0, grant_id: null, snapshot: null }),
    ...holding('03 session.claim', 'payload.snapshot.', { phase: 'paused', live_sequence: '0' }),
    ...holding('03 session.claim', 'payload.snapshot.', { phase: 'running', turn: false }),
    ...holding('05 session.claim 1', 'payload.snapshot.', { phase: 'idle', activity_replay_available: true }),
    ...holding('05 session.claim 1', 'payload.snapshot.turn.', { sequence: -1, assistant_text: null }),
    ...lacking('03 turn.start', 'payload'),
    ...holding('03 turn.start', 'payload.', { status: 'queued', turn_id: null }),
    ...lacking('04 turn.cancel', 'payload'),
    ...lacking('03 operation.lookup', 'payload'),
    ...holding('03 operation.lookup', 'payload.', { state: 'lost', result: [], error: 'none' }),
    ...lacking('03 session.replay', 'payload'),
    ...lacking('03 session.replay', 'payload.events.1'),
    ...lacking('03 session.replay', 'payload.events.3'),
    ...holding('03 session.replay', 'payload.', { next_cursor: long(129), gap: null, resync_required: 0 }),
    ...holding('03 session.replay', 'payload.events.0.', { cursor: long(129), part: '0', role: 'system' }),
    ...holding('03 session.replay', 'payload.events.0.', { kind: 'image', part: -1, last_part: 1 }),
    ...holding('03 session.replay', 'payload.events.3.', { status: 'paused' }),
    ...lacking('12 catalog.models', 'payload'),
    ...holding('12 catalog.models', 'payload.', { state: 'warm', refresh: 'network', next_offset: 1.5 }),
    ...lacking('12 config.get', 'payload'),
    ...holding('12 config.get', 'payload.', { thinking_level: 'extreme', precedence: ['user'], fast: 1 }),
    ...holding('12 config.set', 'payload.', { scope: 'session', persisted: false }),
  ],
  'an event is unknown or has the wrong shape': [
    ['an event that was not advertised', '03 turn.activity', set('event', 'turn.future')],
    ['a sign-in that was not begun', '03 turn.activity', set('event', 'auth.login.progress')],
    ['the parent null', '03 turn.activity', add('payload.activity.parent_activity_id', null)],
    ...lacking('03 turn.started', 'payload'),
    ...holding('03 turn.started', 'payload.', { status: 'accepted', sequence: 1, session_id: 'sess-2' }),
    ...holding('03 turn.started', '', { session_id: 'sess-2' }),
    ...lacking('03 turn.assistant_delta', 'payload'),
    ...holding('03 turn.assistant_delta', '', { payload: null, session_id: null, operation_id: null }),
    ...holding('03 turn.assistant_delta', '', { live_sequence: null, grant_generation: null }),
    ...holding('03 turn.assistant_delta', 'payload.', { text: null, sequence: -2, turn_id: null }),
    ...holding('03 turn.assistant_delta', 'payload.', { text: 1, sequence: 2.5, turn_id: '' }),
    ...holding('03 turn.assistant_delta', 'payload.', { sequence: '2', turn_id: long(129) }),
    ...lacking('03 turn.activity', 'payload'),
    ...lacking('03 turn.activity', 'payload.activity'),
    ...holding('03 turn.activity', 'payload.activity.', { kind: 'plan', source: 'guess', max_tokens: null }),
    ...lacking('03 turn.activity 6', 'payload.activity'),
    ...holding('03 turn.activity 6', 'payload.activity.', { category: 'plan', details_omitted: false }),
    ...holding('03 turn.activity 6', 'payload.activity.', { status: 'paused', details_omitted: 1 }),
    ...lacking('03 turn.activity 7', 'payload.activity'),
    ...holding('03 turn.activity 7', 'payload.activity.', { transport: 'http', timed_out: 0, status: null }),
    ...lacking('03 turn.terminal', 'payload'),
    ...holding('03 turn.terminal', 'payload.', { status: 'paused', persistence: 'pending', sequence: null }),
    ...holding('03 turn.terminal', 'payload.', { assistant_text: null, replay_required: false }),
    ...holding('03 turn.terminal', 'payload.', { activity_dropped: -1, activity_replay_available: true }),
    ...holding('03 turn.terminal', 'payload.', { session_id: 'sess-2' }),
    ...lacking('06 turn.terminal', 'payload.error'),
  ],
  'a session position does not increase': [
    ['a repeated position', '03 turn.assistant_delta 1', set('live_sequence', 13)],
    ['a regressing position', '03 turn.assistant_delta 2', set('live_sequence', 2)],
    ['a position of the snapshot', '05 turn.assistant_delta 1', set('live_sequence', 5)],
  ],
  'a sequence does not increase': [
    ['a repeated sequence', '03 turn.assistant_delta 1', set('payload.sequence', 12)],
    ['a regressing sequence', '03 turn.activity 9', set('payload.sequence', 0)],
    ['a sequence of the snapshot', '05 turn.assistant_delta 1', set('payload.sequence', 4)],
  ],
  'an event names another turn': [
    ['another turn', '03 turn.assistant_delta 1', set('payload.turn_id', 'turn-2')],
    ['the end of another turn', '03 turn.terminal', set('payload.turn_id', 'turn-2')],
    ['another operation', '03 turn.activity 2', set('operation_id', 'op-2')],
    ['another turn than the snapshot', '05 turn.assistant_delta 1', set('payload.turn_id', 'turn-2')],
  ],
  'a turn starts inside another': [['a second start', '03 turn.activity 2', again('03 turn.started', 5, 0)]],
  'an event comes outside a turn': [
    ['a text before the start', '03 turn.started', again('03 turn.assistant_delta', 1, 0)],
    ['a text after the end', '03 operation.lookup', again('03 turn.assistant_delta', 22, 21)],
    ['a second end', '03 operation.lookup', again('03 turn.terminal', 22, 21)],
  ],
  'a record passes a limit': [
    ['an unknown string', '03 session.create', add('payload.future', long(16_385))],
    ['an unknown array', '03 session.create', add('payload.future', Array(65).fill(0))],
    ['unknown depth', '03 session.create', add('payload.future', nested(33))],
    ['unknown depth outside the payload', '03 turn.activity', add('future', nested(40))],
    ['an unknown object', '03 session.create', add('payload.future', fields(65))],
    ['an unknown name', '03 turn.activity', add(`payload.activity.${long(16_385)}`, 1)],
    ['a text', '03 turn.assistant_delta', set('payload.text', long(16_385))],
  ],
  'a payload passes the size limit': [
    ['unknown strings', '03 session.create', add('payload.future', Array(4).fill(long(9_000)))],
  ],
  'a record is too long': [
    ['unknown strings', '03 turn.activity', add('future', Array(5).fill(long(14_000)))],
  ],
  'a record cannot be read (duplicate member name)': [
    ['at the top', '03 session.create', written('{', '{"kind":"response",')],
    ['deep inside', '03 turn.activity', written('"max_tokens":', '"max_tokens":1,"max_tokens":')],
    ['written with an escape', '03 turn.terminal', written('"status":', '"st\\u0061tus":"failed","status":')],
    ['in an unknown member', '03 turn.started', written('{', '{"future":{"a":1,"a":1},')],
  ],
  'a record cannot be read (lone surrogate)': [
    ['in a text', '03 turn.assistant_delta', written('"text":"', '"text":"\\ud800')],
    ['in an unknown name', '03 session.create', written('{', '{"\\udc00":1,')],
  ],
  'a record cannot be read (not valid UTF-8)': [
    ['in a text', '03 turn.assistant_delta', written('"text":"', '"text":"\xff')],
    ['in an unknown member, cut off', '03 session.create', written('{', '{"future":"\xe2\x82",')],
  ],
  'a record cannot be read (not valid JSON)': [
    ['a record without its end', '03 turn.terminal', written('}\n', '\n')],
  ],
  'a record cannot be read (number out of range)': [
    ['in an unknown member', '03 turn.started', written('{', '{"future":1e999,')],
  ],
};

/** The sentence that says what is wrong with a service, and what was changed in its answer to `initialize`. */
const UNFIT: Readonly<Record<string, Mutation>> = {
  'The service works in another folder.': set('payload.workspace_id', long(64)),
  'The service keeps its state elsewhere.': set('payload.state_root_id', long(64)),
  'The service does not speak wire version 2.': set(capability('protocol_versions'), [3]),
  'The service does not offer the Unix transport.': set(capability('transports'), ['tcp']),
  'The service lacks the operation turn.cancel.': without(capability('operations'), 'turn.cancel'),
  'The service does not send turn.terminal.': without(capability('events'), 'turn.terminal'),
  'The service sends an event that this version does not know.': plus(capability('events'), 'turn.future'),
  'The service contradicts itself about activity.': set(capability('activity.events'), false),
  'The service does not state its limit max_id_bytes.': drop('payload.limits.max_id_bytes'),
  'The service states two values for max_id_bytes.': set('payload.limits.max_id_bytes', 64),
  'The service states two values for max_name_bytes.': drop(capability('limits.max_name_bytes')),
  'The service may send more than this version can hold (max_string_bytes 20000, here 16384).': bothLimits(
    'max_string_bytes',
    20_000,
  ),
};

test.each(ACCEPTED)('%s is accepted (%s)', async (_name, at, mutation) => {
  const { heard, code } = await converse(at, mutation);
  expect({ heard, code }).toEqual({ heard: labelsIn(lineAt(at).lines), code: 'endpoint_closed' });
});

test.each<Row>([
  ['an earlier grant', '03 turn.assistant_delta 1', set('grant_generation', 7)],
  ['another session', '03 turn.assistant_delta 1', set('session_id', 'sess-2')],
])('an event of %s is not heard', async (_name, at, mutation) => {
  const { target, lines } = lineAt(at);
  const { heard, code } = await converse(at, mutation);
  const others = labelsIn(lines.filter((line) => line !== target));
  expect({ heard, code }).toEqual({ heard: others, code: 'endpoint_closed' });
});

const violations = Object.entries(VIOLATIONS).flatMap(([detail, rows]) =>
  rows.map(([name, at, mutation]) => ({ name, at, mutation, detail })),
);
test.each(violations)('$at: $detail ($name)', async ({ at, mutation, detail }) => {
  expect(await converse(at, mutation)).toEqual({
    heard: labelsBefore(at),
    code: 'protocol_violation',
    sentence: `The service broke the protocol: ${detail}.`,
  });
});

test.each(Object.entries(UNFIT))('%s', async (sentence, mutation) => {
  const outcome = await converse('03 initialize', mutation);
  expect(outcome).toEqual({ heard: [], code: 'preflight_refused', sentence });
});

interface Outcome {
  /** Methods whose answers came through, and events that were told, in order. */
  readonly heard: readonly string[];
  readonly code: string;
  readonly sentence: string;
}

/** A client makes the requests of the socket that `at` is in; the service answers with one record changed. */
async function converse(at: string, mutation: Mutation): Promise<Outcome> {
  const { target, lines } = lineAt(at);
  const made = mutation(target.record);
  expect(Buffer.isBuffer(made) ? made : encodeRecord(made)).not.toEqual(encodeRecord(target.record));
  const service = await ScriptedService.start(async (peer) => {
    if (Buffer.isBuffer(made)) {
      await peer.play(lines.slice(0, lines.indexOf(target)));
      peer.sendBytes(made);
    } else await peer.play(lines.map((line) => (line === target ? { ...line, record: made } : line)));
    peer.close();
  });
  try {
    return await hear(service, lines);
  } finally {
    await service.stop();
    expect(service.errors).toEqual([]);
  }
}

async function hear(service: ScriptedService, lines: readonly TraceLine[]): Promise<Outcome> {
  const heard: string[] = [];
  let connection: Connection;
  try {
    connection = await openConnection(service.options);
  } catch (error) {
    const { code, sentence } = asFailure(error);
    return { heard, code, sentence };
  }
  heard.push('initialize');
  let came = 1;
  let ended: Outcome | null = null;
  connection.onClose(({ code, sentence }) => {
    ended = { heard, code, sentence };
  });
  connection.onEvent(() => {
    came += 1;
  });
  const request = requester(connection, heard);
  const answers: Promise<void>[] = [];
  for (const [index, { dir, record }] of lines.entries()) {
    if (dir === 's2c' || isHello(record) || record.method === 'initialize') continue;
    await until(() => ended !== null || came >= labelsIn(lines.slice(0, index)).length);
    if (ended !== null) break;
    const answered = (failure: unknown = null) => {
      came += 1;
      if (ended === null) heard.push(labelOf(record));
      else if (failure !== null)
        expect(['link_lost', 'protocol_violation']).toContain(asFailure(failure).code);
    };
    answers.push(request(record).then(() => answered(), answered));
  }
  await until(() => ended !== null);
  await Promise.all(answers);
  if (ended === null) throw new Error('the connection did not end');
  return ended;
}

/** Makes the requests of a trace as the program makes them. */
function requester(connection: Connection, heard: string[]): (record: JsonObject) => Promise<unknown> {
  let session: ControlledSession | null = null;
  return async (record) => {
    const payload = objectOf(record.payload);
    const sessionId = String(record.session_id);
    const operationId = String(record.operation_id);
    const method = labelOf(record);
    if (method === 'session.claim') {
      session = await claimSession(connection, sessionId);
      session.onEvent(({ type }) => heard.push(`turn.${type === 'delta' ? 'assistant_delta' : type}`));
      return session;
    }
    if (method === 'turn.start') return session?.startTurn(String(payload.prompt), operationId);
    if (method === 'turn.cancel') return session?.cancelTurn(String(payload.turn_id));
    if (method === 'session.detach') return session?.detach();
    if (method === 'operation.lookup') {
      const instanceId = String(payload.target_instance_id);
      return settleOperation(connection, { instanceId, operationId: String(payload.operation_id) });
    }
    if (!isMethod(method)) throw new Error(`no such method: ${method}`);
    const place = record.session_id === null ? {} : { sessionId };
    const slots = record.operation_id === null ? place : { ...place, operationId };
    return connection.request(method, OPERATIONS[method].request.parse(payload), slots);
  };
}

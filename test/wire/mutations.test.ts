/**
 * One record of a recorded conversation is changed, and a real client hears the conversation: it takes every
 * record before the changed one and nothing from there on (PROTOCOL.md, "Evolution"). Here: what all records have in
 * common, limits, handshake and preflight; the other mutations lie in `mutations-*.test.ts`.
 */
import { expect, test } from 'vitest';
import { encodeRecord } from '../../src/wire/json.ts';
import type { LimitName } from '../../src/wire/limits.ts';
import { areAccepted, areViolations, converse } from '../support/mutation-runner.ts';
import {
  add,
  all,
  bothLimits,
  capability,
  drop,
  fields,
  holding,
  labelsIn,
  lacking,
  lineAt,
  long,
  type Mutation,
  nested,
  plus,
  set,
  without,
  written,
} from '../support/traces.ts';

const SESSION = '5e550000-0001-4000-8000-000000000001';

/** The record with an unknown member that makes it so many bytes long, its LF included. */
const filled =
  (bytes: number): Mutation =>
  (record) => {
    const texts = Array<string>(4).fill(long(13_000));
    const rest = bytes - encodeRecord({ ...record, future: [...texts, ''] }).length;
    return { ...record, future: [...texts, long(rest)] };
  };

/** The rest of a row: a service that advertises a smaller limit, and the record that then passes it. */
const advertised = (limit: LimitName, value: number, refusedAt: string) =>
  [`${refusedAt.slice(0, 2)} initialize`, bothLimits(limit, value), refusedAt] as const;

areAccepted([
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
  ['IDs just as long as they may be', '03 initialize', bothLimits('max_id_bytes', 36)],
  [
    'features of the future',
    '03 initialize',
    all(set(capability('activity.approvals'), true), set(capability('activity.steering'), true)),
  ],
  ['the longest record', '03 turn.activity 3', filled(65_536)],
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
  ['an unknown code of a failed turn', '07 turn.terminal', set('payload.error.code', 'a_future_code')],
  ['an unknown member of a sign-in', '08 auth.login.progress 1', add('payload.future', [1])],
  ['an unknown member of a lookup', '09 operation.lookup', add('payload.result.future', {})],
  ['an unknown member of a refusal', '10 turn.start', add('error.future', null)],
  ['an unknown member of a model', '12 config.get', add('payload.selection.future', 'x')],
  ['a next place on the last page', '02 session.list', set('payload.next_after', 'sess-2')],
  ['the session named inside an event', '03 turn.activity', add('payload.session_id', SESSION)],
  ['a parent', '03 turn.activity', add('payload.activity.parent_activity_id', 'parent')],
]);

areViolations({
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
    ...lacking('08 auth.status', ''),
    ...lacking('09 turn.start 1', 'error'),
    ...holding('12 config.set 1', 'error.', { code: 7, message: long(513) }),
  ],
  'a response must carry either a result or an error': [
    ['an error with a payload', '06 session.replay', set('payload', {})],
    ['a success without a payload', '03 turn.start', set('payload', null)],
  ],
  'a response answers no open request': [
    ['a foreign request', '03 session.create', set('request_id', 'req-99')],
    ['a request that was answered', '03 session.claim', set('request_id', 'req-create')],
    ['no request', '06 session.replay', set('request_id', null)],
    ['a foreign refusal', '10 turn.cancel', set('request_id', 'req-99')],
  ],
  'a response does not match its request': [
    ...holding('03 session.create', '', { method: 'status', session_id: 'sess-2', operation_id: 'op-2' }),
    ...holding('06 session.replay', '', { method: null, session_id: null, operation_id: 'op-create' }),
    ...holding('03 turn.start', '', { method: 'turn.cancel', session_id: 'sess-2', operation_id: null }),
    ...holding('09 turn.start 1', '', { method: 'session.claim', session_id: null, operation_id: 'op-2' }),
    ...holding('10 session.claim 1', '', { session_id: 'sess-2', operation_id: 'op-2' }),
    ...holding('12 config.set', '', { method: 'config.get', session_id: 'sess-2', operation_id: null }),
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
    ['the smaller limit of the service', ...advertised('max_payload_bytes', 350, '03 turn.activity 7')],
  ],
  'a record is too long': [
    ['unknown strings', '03 turn.activity', add('future', Array(5).fill(long(14_000)))],
    ['by one byte, the LF counted', '03 turn.activity 3', filled(65_537)],
    ['the smaller limit of the service', ...advertised('max_record_bytes', 700, '03 turn.activity 7')],
  ],
  'a payload passes a limit that the service has set itself': [
    ['a string', ...advertised('max_string_bytes', 64, '03 turn.activity')],
    ['an array', ...advertised('max_array_items', 3, '03 session.replay')],
    ['an object', ...advertised('max_object_fields', 9, '03 turn.terminal')],
    ['depth', ...advertised('max_json_depth', 1, '03 session.claim')],
  ],
  'an ID passes a limit that the service has set itself': [
    ['its own', ...advertised('max_id_bytes', 35, '03 session.create')],
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
});

/** The sentence that says what is wrong with a service, and what was changed in its answer to `initialize`. */
const UNFIT: Readonly<Record<string, Mutation>> = {
  'The service works in another folder.': set('payload.workspace_id', long(64)),
  'The service keeps its state elsewhere.': set('payload.state_root_id', long(64)),
  'The service names another version than in its greeting.': set('payload.server_version', '0.80.3'),
  'The service does not speak wire version 2.': set(capability('protocol_versions'), [3]),
  'The service does not offer the Unix transport.': set(capability('transports'), ['tcp']),
  'The service lacks the operation turn.cancel.': without(capability('operations'), 'turn.cancel'),
  'The service does not send turn.terminal.': without(capability('events'), 'turn.terminal'),
  'The service sends an event that this version does not know.': plus(capability('events'), 'turn.future'),
  'The service contradicts itself about activity.': set(capability('activity.events'), false),
  'The service does not state its limit max_id_bytes.': drop('payload.limits.max_id_bytes'),
  'The service states two values for max_id_bytes.': set('payload.limits.max_id_bytes', 64),
  'The service states two values for max_name_bytes.': drop(capability('limits.max_name_bytes')),
  'The service states two values for a limit.': all(
    add('payload.limits.max_future', 16),
    add(capability('limits.max_future'), 17),
  ),
  'The service may send longer summaries than this version can hold.': set(
    capability('activity.max_summary_bytes'),
    2_049,
  ),
  'The service may send more than this version can hold (max_string_bytes 20000, here 16384).': bothLimits(
    'max_string_bytes',
    20_000,
  ),
};

test.each<[name: string, at: string, mutation: Mutation]>([
  ['an earlier grant', '03 turn.assistant_delta 1', set('grant_generation', 7)],
  ['another session', '03 turn.assistant_delta 1', set('session_id', 'sess-2')],
])('an event of %s is not heard', async (_name, at, mutation) => {
  const { target, lines } = lineAt(at);
  const { heard, code } = await converse(at, mutation);
  const others = labelsIn(lines.filter((line) => line !== target));
  expect({ heard, code }).toEqual({ heard: others, code: 'endpoint_closed' });
});

test.each(Object.entries(UNFIT))('%s', async (sentence, mutation) => {
  const outcome = await converse('03 initialize', mutation);
  expect(outcome).toEqual({ heard: [], code: 'preflight_refused', sentence });
});

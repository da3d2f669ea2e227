/**
 * Sessions, claims and histories, changed in one place (PROTOCOL.md, "Sessions", "Claim", "Replay").
 * How: `mutations.test.ts`.
 */
import { areAccepted, areViolations } from '../support/mutation-runner.ts';
import {
  add,
  bothLimits,
  holding,
  type JsonObject,
  lacking,
  lineAt,
  long,
  objectOf,
  set,
  twice,
} from '../support/traces.ts';

const ERROR = { code: 'internal_error', message: 'made up' };
const PART = { cursor: 'c', kind: 'message', role: 'user', text: long(2_048), part: 0, last_part: true };

/** The end of the recorded turn as a snapshot has it. */
const retained = (changes: JsonObject): JsonObject => ({
  ...objectOf(lineAt('03 turn.terminal').target.record.payload),
  operation_id: 'op-turn',
  ...changes,
});

areAccepted([
  ['a retained end', '03 session.claim', set('payload.snapshot.terminal', retained({}))],
  ['the longest part', '03 session.replay', set('payload.events.0.text', long(2_048))],
]);

areViolations({
  'a snapshot belongs to another session': [
    ...holding('03 session.claim', 'payload.snapshot.', { session_id: 'sess-2', instance_id: 'instance-2' }),
  ],
  'a snapshot passes the size limit': [
    ['unknown members', '03 session.claim', add('payload.snapshot.future', Array(4).fill(long(6_200)))],
    [
      'the smaller limit of the service',
      '03 initialize',
      bothLimits('max_snapshot_bytes', 200),
      '03 session.claim',
    ],
  ],
  'a replay page passes the size limit': [
    ['unknown members', '03 session.replay', add('payload.future', [long(8_000), long(8_000)])],
    ['parts that are each short enough', '03 session.replay', set('payload.events', Array(8).fill(PART))],
    [
      'the smaller limit of the service',
      '03 initialize',
      bothLimits('max_session_replay_page_bytes', 800),
      '03 session.replay',
    ],
  ],
  'a result has the wrong shape': [
    ...lacking('03 session.create', 'payload'),
    ...holding('03 session.create', '', { payload: [] }),
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
    ...lacking('03 session.replay', 'payload'),
    ...lacking('03 session.replay', 'payload.events.1'),
    ...lacking('03 session.replay', 'payload.events.3'),
    ...holding('03 session.replay', 'payload.', { next_cursor: long(129), gap: null, resync_required: 0 }),
    ...holding('03 session.replay', 'payload.events.0.', { cursor: long(129), part: '0', role: 'system' }),
    ...holding('03 session.replay', 'payload.events.0.', { kind: 'image', part: -1, last_part: 1 }),
    ...holding('03 session.replay', 'payload.events.3.', { status: 'paused' }),
    ...holding('03 session.replay', 'payload.events.0.', { text: long(2_049) }),
    ...lacking('07 session.replay', 'payload.events.0'),
    ...lacking('10 session.create', 'payload'),
    ...lacking('10 session.detach', 'payload'),
    ['a session twice in a list', '02 session.list', twice('payload.sessions')],
    ['a session twice among the active', '02 session.active', twice('payload.sessions')],
    ['a turn in an idle session', '02 session.active', set('payload.sessions.0.turn_id', 'turn-1')],
    ['a running session that has none', '02 session.active', set('payload.sessions.0.phase', 'running')],
    ['a running session without its turn', '05 session.active', set('payload.sessions.0.turn_id', null)],
    ['an idle session with its turn', '05 session.active', set('payload.sessions.0.phase', 'idle')],
    [
      'a retained end that failed for nothing',
      '03 session.claim',
      set('payload.snapshot.terminal', retained({ status: 'failed' })),
    ],
    [
      'a retained end with an error',
      '03 session.claim',
      set('payload.snapshot.terminal', retained({ error: ERROR })),
    ],
    [
      'a retained end that was not saved',
      '03 session.claim',
      set('payload.snapshot.terminal', retained({ persistence: 'failed' })),
    ],
  ],
});

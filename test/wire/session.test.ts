import { expect, test } from 'vitest';
import { snapshot } from '../../src/wire/session.ts';

const terminal = {
  turn_id: 't',
  session_id: 's',
  operation_id: 'o',
  status: 'completed',
  assistant_text: 'text',
  sequence: 3,
  activity_dropped: 0,
  activity_replay_available: false,
  replay_required: true,
  persistence: 'committed',
  error: null,
};
const idle = {
  instance_id: 'i',
  session_id: 's',
  live_sequence: 4,
  phase: 'idle',
  turn: null,
  terminal,
  activity_replay_available: false,
};

test.each([
  ['a retained terminal', idle, true],
  ['no terminal', { ...idle, terminal: null }, true],
  ['the terminal of another session', { ...idle, terminal: { ...terminal, session_id: 'other' } }, false],
  ['a terminal outside idle', { ...idle, phase: 'running' }, false],
])('a snapshot with %s', (_name, value, good) => {
  expect(snapshot.safeParse(value).success).toBe(good);
});

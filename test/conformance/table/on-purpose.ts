/** What differs in behaviour on purpose, each with a script that shows it (PROTOCOL.md, "Embedded service"). */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Json } from '../../../src/wire/json.ts';
import { ABSENT } from '../compare.ts';
import { otherCode } from '../differences.ts';
import { FAST, SHORT } from '../model.ts';
import type { Script, Step } from '../script.ts';
import {
  ask,
  burst,
  controlled,
  hear,
  held,
  look,
  lookup,
  pause,
  send,
  settle,
  start,
  turn,
  welcome,
} from '../steps.ts';

const READS = 'concurrent reads';
const BROKEN = 'a broken answer';
const SLOW = 'a reader that is slower than the model';
const PERMISSION = 'permission';

const replay = ask('session.replay', {}, { session_id: '$session' });

export const ON_PURPOSE: readonly Script[] = [
  {
    name: 'where the socket lies',
    differences: [{ row: 'name space', at: 'seen[0]', real: 'magi-<user>', ours: 'magi-term-<user>' }],
    steps: [look(({ directory }) => basename(directory).replace(/\d+$/, '<user>'))],
  },
  {
    name: 'what session files begin with',
    alone: true,
    differences: [{ row: 'session files', at: 'seen[0]' }],
    steps: [
      ...controlled(),
      ...turn('hello'),
      look(({ stateRoot }) => firstMembers(join(stateRoot, 'sessions'))),
    ],
  },
  {
    name: '300 mutations',
    alone: true,
    only: 'codes',
    differences: [
      { row: 'max_operation_entries', at: 'a', real: 'operation_capacity, stale_grant', ours: 'stale_grant' },
    ],
    steps: [welcome(), ...mutations(300), settle()],
  },
  {
    name: '600 pieces at 2 ms, to a healthy reader',
    only: 'end',
    differences: [{ row: 'output speed', at: 'a is', real: 'closed at once', ours: 'open' }],
    steps: [...controlled(), ...start(FAST), hear('turn.terminal')],
  },
  {
    name: '600 pieces at 2 ms, to a reader that waits',
    differences: [
      { row: SLOW, at: 'a is', ours: 'open' },
      { row: SLOW, at: 'a missed', ours: ABSENT },
      { row: SLOW, at: 'a[4]', real: ABSENT },
    ],
    steps: [
      ...controlled(),
      ...start(FAST),
      { do: 'deaf', on: 'a' },
      pause(2_500),
      { do: 'listen', on: 'a' },
      hear('turn.terminal'),
    ],
  },
  ...['status', 'auth.status'].map((method) => atOnce(method, 'auth_busy')),
  ...['config.get', 'catalog.providers'].map((method) => atOnce(method, 'configuration_busy')),
  {
    name: 'two starts in one write',
    unordered: true,
    differences: otherCode(READS, 'a[3]', 'configuration_busy', 'session_busy'),
    steps: [
      ...controlled(),
      send('turn.start', { prompt: SHORT }, held('one')),
      send('turn.start', { prompt: SHORT }, held('two')),
      settle(),
      hear('turn.terminal'),
    ],
  },
  {
    name: 'a command that the settings do not allow',
    differences: [
      { row: 'tool activity', at: 'a[6].payload.activity.notice', real: ABSENT },
      { row: PERMISSION, at: 'a[6].payload.activity.status', real: 'completed', ours: 'failed' },
      { row: PERMISSION, at: 'a[6].payload.activity.timed_out', real: false, ours: null },
      { row: PERMISSION, at: 'a[7].payload.activity.status', real: 'completed', ours: 'failed' },
    ],
    steps: [...controlled(), ...turn('run a command')],
  },
  {
    name: 'a model that refuses',
    differences: [{ row: 'turn.terminal with failed', at: 'a[4].payload.notice', real: ABSENT }],
    steps: [...controlled(), ...turn('be refused'), ...lookup('start'), ...replay],
  },
  {
    name: 'a control character in a session ID',
    differences: otherCode(
      'control characters in a session ID',
      'a[0]',
      'invalid_request',
      'invalid_session_id',
    ),
    steps: [
      welcome(),
      ...ask('session.replay', {}, { session_id: 'a\nb' }),
      ...ask('session.claim', {}, { session_id: 'a\nb', operation_id: '$op.c' }),
    ],
  },
  {
    name: 'an answer that breaks off',
    differences: [
      { row: BROKEN, at: 'a[4].payload.text', real: 'Half of Heard.', ours: 'Half of ' },
      { row: BROKEN, at: 'a[5].payload.assistant_text', real: 'Half of Heard.', ours: 'Half of ' },
      { row: BROKEN, at: 'a[5].payload.status', real: 'completed', ours: 'failed' },
      { row: BROKEN, at: 'a[5].payload.error', real: null },
      { row: 'turn.terminal with failed', at: 'a[5].payload.notice', real: ABSENT },
      { row: BROKEN, at: 'a[6].payload.error', real: null },
      { row: BROKEN, at: 'a[6].payload.result.status', real: 'completed', ours: 'failed' },
    ],
    steps: [...controlled(), ...turn('break off'), ...lookup('start')],
  },
];

/** So many mutations, sixteen in a write. */
function mutations(count: number): Step[] {
  return Array.from({ length: count }, (_, index) => [
    send(
      'session.detach',
      {},
      held(`m${index}`, { session_id: 's', control: { grant_id: 'g', generation: 1 } }),
    ),
    ...(index % 16 === 15 ? [settle()] : []),
  ]).flat();
}

/** Some of these reads meet another one with the real service. */
function atOnce(method: string, busy: string): Script {
  return {
    name: `eight of ${method} in one write`,
    only: 'codes',
    differences: [{ row: READS, at: 'a', real: `none, ${busy}`, ours: 'none' }],
    steps: [welcome(), burst(method, 8, 8), settle()],
  };
}

function firstMembers(folder: string): Json {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted();
  const [first] = names.filter((name) => name.endsWith('.jsonl'));
  if (first === undefined) return names;
  const [line = ''] = readFileSync(join(folder, first), 'utf8').split('\n');
  return Object.keys(JSON.parse(line)).toSorted();
}

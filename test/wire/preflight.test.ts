/** Which services may be trusted with work (PROTOCOL.md, "Preflight", "Evolution"). */
import { describe, expect, test } from 'vitest';
import { pathId, serviceKey } from '../../src/wire/identity.ts';
import { type InitializeResult, initializeResult } from '../../src/wire/initialize.ts';
import { preflight } from '../../src/wire/preflight.ts';
import { goodInitializeResult, TRACE_IDENTITY, TRACE_VERSION } from '../support/traces.ts';

const good = initializeResult.parse(goodInitializeResult());
const without = (names: readonly string[], name: string) => names.filter((entry) => entry !== name);
const capable = (changes: Partial<InitializeResult['capabilities']>): InitializeResult => ({
  ...good,
  capabilities: { ...good.capabilities, ...changes },
});
const limited = (limits: Record<string, number>): InitializeResult => {
  const changed = { ...good.limits, ...limits };
  return { ...capable({ limits: changed }), limits: changed };
};

describe('preflight', () => {
  test.each<[name: string, result: InitializeResult]>([
    ['the recorded service', good],
    ['a new limit', limited({ max_future_page_items: 16 })],
    ['an unused operation', capable({ operations: [...good.capabilities.operations, 'session.rename'] })],
    ['a smaller limit', limited({ max_string_bytes: 8_000 })],
    ['a larger limit of things that we do not hold', limited({ max_operation_entries: 4_096 })],
    [
      'no sign-in events',
      capable({ events: good.capabilities.events.filter((name) => name.startsWith('turn.')) }),
    ],
  ])('accepts %s', (_name, result) => {
    expect(preflight(result, { identity: TRACE_IDENTITY, version: TRACE_VERSION })).toBeNull();
  });

  test.each<[name: string, result: InitializeResult, sentence: string]>([
    [
      'another folder',
      { ...good, workspace_id: pathId('/elsewhere') },
      'The service works in another folder.',
    ],
    [
      'another state',
      { ...good, state_root_id: pathId('/elsewhere') },
      'The service keeps its state elsewhere.',
    ],
    [
      'another package version',
      { ...good, server_version: '0.80.3' },
      'The service names another version than in its greeting.',
    ],
    ['no version 2', capable({ protocol_versions: [3] }), 'The service does not speak wire version 2.'],
    ['no Unix transport', capable({ transports: ['tcp'] }), 'The service does not offer the Unix transport.'],
    [
      'a missing operation',
      capable({ operations: without(good.capabilities.operations, 'turn.cancel') }),
      'The service lacks the operation turn.cancel.',
    ],
    [
      'a missing event',
      capable({ events: without(good.capabilities.events, 'turn.terminal') }),
      'The service does not send turn.terminal.',
    ],
    [
      'an unknown event',
      capable({ events: [...good.capabilities.events, 'turn.future'] }),
      'The service sends an event that this version does not know.',
    ],
    [
      'activity that is denied',
      capable({ activity: { ...good.capabilities.activity, events: false } }),
      'The service contradicts itself about activity.',
    ],
    [
      'summaries larger than we can hold',
      capable({ activity: { ...good.capabilities.activity, max_summary_bytes: 4_096 } }),
      'The service may send longer summaries than this version can hold.',
    ],
    [
      'output larger than we can hold',
      limited({ max_string_bytes: 20_000 }),
      'The service may send more than this version can hold (max_string_bytes 20000, here 16384).',
    ],
    [
      'two values of a limit',
      { ...good, limits: { ...good.limits, max_id_bytes: 64 } },
      'The service states two values for max_id_bytes.',
    ],
    [
      'two values of a limit that we do not know',
      { ...limited({ max_future: 16 }), limits: { ...good.limits, max_future: 17 } },
      'The service states two values for a limit.',
    ],
    [
      'a new limit in one place only',
      { ...good, limits: { ...good.limits, max_future: 16 } },
      'The service states two values for a limit.',
    ],
    [
      'a new limit in the other place only',
      capable({ limits: { ...good.limits, max_future: 16 } }),
      'The service states two values for a limit.',
    ],
    [
      'a missing limit',
      {
        ...good,
        limits: Object.fromEntries(Object.entries(good.limits).filter(([name]) => name !== 'max_id_bytes')),
      },
      'The service does not state its limit max_id_bytes.',
    ],
  ])('refuses %s', (_name, result, sentence) => {
    expect(preflight(result, { identity: TRACE_IDENTITY, version: TRACE_VERSION })).toBe(sentence);
  });
});

describe('initialize result', () => {
  test.each<[name: string, limit: unknown]>([
    ['a string', '16'],
    ['zero', 0],
    ['negative', -1],
    ['a fraction', 1.5],
    ['over the safe integers', 2 ** 53],
  ])('a new limit that is %s is refused', (_name, limit) => {
    const limits = { ...good.limits, max_future: limit };
    expect(initializeResult.safeParse({ ...good, limits }).success).toBe(false);
  });
});

test('the key of a service is that of the published vector', () => {
  expect(serviceKey('/home/dev/project', '/home/dev/.magi-code')).toBe(
    '4a100f22a174a4e02a6bbaf856918eb8d7d1b8d462882670',
  );
});

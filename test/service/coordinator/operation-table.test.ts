import { expect, test } from 'vitest';
import { OperationTable } from '../../../src/service/coordinator/operation-table.ts';
import { ManualClock } from '../manual-clock.ts';

const intent = { method: 'session.create', sessionId: null, payload: { a: 1, b: [2] } } as const;

test('ten minutes known, ten minutes a tombstone, then forgotten', () => {
  const clock = new ManualClock();
  const table = new OperationTable(clock, () => undefined);
  const first = table.reserve('x', intent);
  expect(table.lookup('x')).toMatchObject({ state: 'in_progress', method: 'session.create' });
  if (!first.ok) throw new Error('not reserved');
  first.operation.accept(null);
  first.operation.finish({ status: 'completed' }, null);
  first.operation.reject('internal_error');
  const look = () => [table.lookup('x').state, table.reserve('x', { ...intent, payload: { b: [2], a: 1 } })];
  expect(look()).toEqual(['terminal', { ok: false, code: 'operation_already_known' }]);
  clock.advance(599_999);
  expect(look()[0]).toBe('terminal');
  clock.advance(1);
  expect(look()).toEqual(['expired', { ok: false, code: 'operation_expired' }]);
  clock.advance(599_999);
  expect(look()[0]).toBe('expired');
  clock.advance(1);
  expect(table.lookup('x').state).toBe('unknown');
  expect(table.reserve('x', intent).ok).toBe(true);
});

test('has room for 4096, and for more once the old are forgotten', () => {
  const clock = new ManualClock();
  const table = new OperationTable(clock, () => undefined);
  for (let index = 0; index < 4_096; index += 1) {
    const reserved = table.reserve(`o${index}`, intent);
    if (reserved.ok) reserved.operation.reject('session_busy');
  }
  expect(table.reserve('more', intent)).toEqual({ ok: false, code: 'operation_capacity' });
  expect(table.lookup('o0').error).toMatchObject({ code: 'session_busy' });
  clock.advance(1_200_000);
  expect(table.reserve('more', intent).ok).toBe(true);
});

/** The order of sign-in events where no recording shows it (PROTOCOL.md, "Authentication"). */
import { expect, test } from 'vitest';
import { LoginOrder } from '../../src/client/login-order.ts';

const PROVIDER = 'openai-codex';
const IDS = { instance_id: 'i', connection_id: 'c', request_id: 'r', session_id: null } as const;
const METHOD = 'auth.login.start';

const start = (operation_id: string) => ({
  method: METHOD,
  operation_id,
  payload: { provider_id: PROVIDER },
});
const head = { protocol_version: 2, kind: 'response', ...IDS, method: METHOD } as const;
const started = (operation_id: string, login_id: string) => {
  const payload = { login_id, provider_id: PROVIDER, status: 'started' };
  return { ...head, operation_id, payload, error: null };
};
const refused = (operation_id: string) => {
  const error = { code: 'auth_busy', message: '' };
  return { ...head, operation_id, payload: null, error };
};

const slots = { sessionId: null, generation: null, liveSequence: null } as const;
const first = (operationId: string, login_id: string) => {
  const url = { state: 'authorization_url', url: 'https://example.test', open_browser: true } as const;
  const payload = { login_id, provider_id: PROVIDER, ...url };
  return { event: 'auth.login.progress', operationId, payload, ...slots } as const;
};
const ended = (operationId: string, login_id: string) => {
  const payload = { login_id, provider_id: PROVIDER, state: 'cancelled', cleanup_complete: true } as const;
  return { event: 'auth.login.terminal', operationId, payload, ...slots } as const;
};

test('events may come before the answer, which must name the same sign-in', () => {
  for (const [answer, words] of [
    ['login-1', null],
    ['login-2', 'an event names another sign-in'],
  ] as const) {
    const order = new LoginOrder();
    order.sent(start('op-1'));
    expect(order.place(first('op-1', 'login-1'))).toBeNull();
    expect(order.answered(started('op-1', answer))).toBe(words);
  }
});

test('a sign-in that was refused has no events', () => {
  const order = new LoginOrder();
  order.sent(start('op-1'));
  expect(order.answered(refused('op-1'))).toBeNull();
  expect(order.place(first('op-1', 'login-1'))).toBe('an event belongs to no sign-in of this connection');
});

test('a sign-in may end before its first state, and the next one begins anew', () => {
  const order = new LoginOrder();
  order.sent(start('op-1'));
  expect(order.answered(started('op-1', 'login-1'))).toBeNull();
  expect(order.place(ended('op-1', 'login-1'))).toBeNull();
  order.sent(start('op-2'));
  expect(order.place(first('op-2', 'login-2'))).toBeNull();
  expect(order.place(ended('op-2', 'login-1'))).toBe('an event names another sign-in');
});

/**
 * Status, sign-in, catalogs and settings, changed in one place (PROTOCOL.md, "Initialize", "Authentication", "Catalogs",
 * "Configuration"). How: `mutations.test.ts`.
 */
import { areAccepted, areViolations } from '../support/mutation-runner.ts';
import { add, holding, lacking, lineAt, long, set } from '../support/traces.ts';

const ERROR = { code: 'internal_error', message: 'made up' };
const MODEL = {
  provider_id: 'anthropic',
  model_id: 'model-1',
  label: 'Model',
  available: true,
  context_window: null,
  max_output_tokens: 4_096,
  available_thinking_levels: ['default'],
};

areAccepted([
  ['a model of the provider', '12 catalog.models', set('payload.entries', [MODEL])],
  [
    'a sign-in that leaves a state out',
    '08 auth.login.progress 4',
    set('payload.state', 'callback_accepted'),
  ],
]);

areViolations({
  'a status is that of another service': [
    ...holding('01 status', 'payload.', {
      instance_id: 'instance-2',
      workspace_id: long(64),
      state_root_id: long(64),
    }),
    ...holding('10 status', 'payload.', { instance_id: 'instance-2', workspace_id: '', state_root_id: 'a' }),
  ],
  'an answer names another scope': [
    ...holding('12 config.set', 'payload.', { scope: 'project' }),
    ...holding('12 config.set 2', 'payload.', { scope: 'project' }),
  ],
  'an answer names another provider': [
    ...holding('08 auth.login.start', 'payload.', { provider_id: 'anthropic' }),
    [
      'a model of another provider',
      '12 catalog.models',
      set('payload.entries', [{ ...MODEL, provider_id: 'local-llm' }]),
    ],
    [
      'a second model of another provider',
      '12 catalog.models',
      set('payload.entries', [MODEL, { ...MODEL, provider_id: 'local-llm' }]),
    ],
  ],
  'an answer names another sign-in': [
    ...holding('08 auth.login.cancel', 'payload.', { login_id: 'login-2' }),
    ...holding('08 auth.login.callback', 'payload.', { login_id: 'login-2' }),
  ],
  'an event names another sign-in': [
    [
      'an answer of another',
      '08 auth.login.start',
      set('payload.login_id', 'login-2'),
      '08 auth.login.progress',
    ],
    ...holding('08 auth.login.progress', 'payload.', { login_id: 'login-2' }),
    ...holding('08 auth.login.progress 1', 'payload.', { login_id: 'login-2' }),
    ...holding('08 auth.login.terminal', 'payload.', { login_id: 'login-2' }),
  ],
  'an event names another provider': [
    ...holding('08 auth.login.progress', 'payload.', { provider_id: 'anthropic' }),
    ...holding('08 auth.login.terminal 1', 'payload.', { provider_id: 'anthropic' }),
  ],
  'an event belongs to no sign-in of this connection': [
    ['an operation that was not sent', '08 auth.login.progress', set('operation_id', 'op-2')],
    ['a sign-in of an earlier socket', '08 auth.login.progress 2', set('operation_id', 'op-login')],
    ['the operation of the cancellation', '08 auth.login.terminal', set('operation_id', 'op-login-cancel')],
    ['a state after the end', '08 auth.status', () => lineAt('08 auth.login.progress 1').target.record],
    ['a second end', '08 operation.lookup', () => lineAt('08 auth.login.terminal').target.record],
    ['an end without a start', '12 config.get', () => lineAt('08 auth.login.terminal').target.record],
  ],
  'a sign-in does not go forward': [
    ['without its URL', '08 auth.login.progress', () => lineAt('08 auth.login.progress 1').target.record],
    ['with a second URL', '08 auth.login.progress 1', () => lineAt('08 auth.login.progress').target.record],
    ['backwards', '08 auth.login.progress 4', set('payload.state', 'waiting')],
  ],
  'a record is no valid response or event': [...lacking('08 auth.login.progress', '')],
  'an event is unknown or has the wrong shape': [
    ...lacking('08 auth.login.progress', 'payload'),
    ...holding('08 auth.login.progress', 'payload.', { state: 'opened', url: 7, open_browser: false }),
    ...holding('08 auth.login.progress', '', { session_id: 'sess-1', grant_generation: 1, live_sequence: 1 }),
    ['a URL that comes later', '08 auth.login.progress 1', add('payload.url', 'https://example.test')],
    ['a URL at the end', '08 auth.login.terminal', add('payload.url', 'https://example.test')],
    ...lacking('08 auth.login.terminal', 'payload'),
    ...holding('08 auth.login.terminal', 'payload.', { state: 'lost', cleanup_complete: false }),
  ],
  'a result has the wrong shape': [
    ...lacking('08 auth.login.start', 'payload'),
    ...lacking('08 auth.login.cancel', 'payload'),
    ...lacking('08 auth.login.callback', 'payload'),
    ...holding('08 auth.login.start', 'payload.', { status: 'opened', login_id: '' }),
    ...holding('08 auth.login.cancel', 'payload.', { status: 'cancelled' }),
    ...holding('08 auth.login.callback', 'payload.', { status: 'accepted' }),
    ...lacking('08 operation.lookup', 'payload.result'),
    ...holding('08 operation.lookup', 'payload.', { error: ERROR, result: null }),
    ...holding('08 operation.lookup', 'payload.result.', { status: 'failed', cleanup_complete: false }),
    ...holding('08 operation.lookup 1', 'payload.', { error: null }),
    ...holding('08 operation.lookup 1', 'payload.result.', { status: 'cancelled' }),
    ...lacking('08 auth.status', 'payload'),
    ...lacking('08 auth.status', 'payload.providers.0'),
    ...holding('08 auth.status', 'payload.providers.0.', { ready: true, readiness: 'ready', source: 'file' }),
    ...holding('08 auth.status', 'payload.providers.1.', { auth_method: 'cookie', provider_id: 'a b' }),
    ...lacking('12 catalog.providers', 'payload'),
    ...lacking('12 catalog.providers', 'payload.entries.0'),
    ...holding('12 catalog.providers', 'payload.entries.1.', { label: long(129), provider_id: long(257) }),
    ...lacking('12 config.set', 'payload'),
    ...lacking('12 config.get', 'payload.selection'),
    ...holding('12 operation.lookup', 'payload.', { error: ERROR, result: null }),
    ...holding('12 operation.lookup', 'payload.result.', { status: 'failed' }),
    ...lacking('01 status', 'payload'),
    ...holding('01 status', 'payload.', { provider_auth_ready: null, connected_clients: true }),
    ...holding('01 status', 'payload.', { provider_auth_ready: 'false', connected_clients: 1.5 }),
    ...holding('01 status', 'payload.', { provider_auth_ready: 1, admitted_operations: -1 }),
    ...holding('01 status', 'payload.', { service: 'up' }),
    ...lacking('12 catalog.models', 'payload'),
    ...holding('12 catalog.models', 'payload.', { state: 'warm', refresh: 'network', next_offset: 1.5 }),
    ...lacking('12 config.get', 'payload'),
    ...holding('12 config.get', 'payload.', { thinking_level: 'extreme', precedence: ['user'], fast: 1 }),
    ...holding('12 config.set', 'payload.', { scope: 'session', persisted: false }),
  ],
});

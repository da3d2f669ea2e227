/** `auth.logout`, where nobody had signed in (lifecycle: "Login lifecycle"). */
import type { Json } from '../../../src/wire/json.ts';
import type { Script } from '../script.ts';
import { ask, lookup, welcome } from '../steps.ts';

const CODEX = { provider_id: 'openai-codex' };

const logouts: readonly (readonly [name: string, payload: Json])[] = [
  ['unconfirmed', CODEX],
  ['confirmed false', { ...CODEX, confirmed: false }],
  ['confirmed null', { ...CODEX, confirmed: null }],
  ['confirmed a string', { ...CODEX, confirmed: 'yes' }],
  ['an unknown provider, unconfirmed', { provider_id: 'nobody' }],
  ['an unknown provider', { provider_id: 'nobody', confirmed: true }],
  ['no provider', { confirmed: true }],
  ['a further member', { ...CODEX, confirmed: true, colour: 'red' }],
  ['codex, where nobody had signed in', { ...CODEX, confirmed: true }],
  ['anthropic', { provider_id: 'anthropic', confirmed: true }],
  ['the provider of the settings', { provider_id: 'loopback', confirmed: true }],
];

export const SIGN_OUTS: readonly Script[] = [
  ...logouts.map(([name, payload]) => ({
    name: `logout: ${name}`,
    steps: [welcome(), ...ask('auth.logout', payload, { operation_id: '$op.l' }), ...lookup('l')],
  })),
];

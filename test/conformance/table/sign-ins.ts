/** Signing in and out, as far as it goes without the provider (lifecycle: "Login lifecycle"). */
import type { Json } from '../../../src/wire/json.ts';
import { ABSENT } from '../compare.ts';
import type { Script, Step } from '../script.ts';
import { ask, browse, close, derive, hear, insist, lookup, pause, send, settle, welcome } from '../steps.ts';

const EXCHANGE = 'cancelling a sign-in during its exchange';
const CODEX = { provider_id: 'openai-codex' };
const WRONG_STATE = 'http://localhost:1455/auth/callback?code=invented&state=wrong';

const begin = (on = 'a', op = 'login'): Step[] => [
  ...ask('auth.login.start', CODEX, { operation_id: `$op.${op}` }, on, { login: 'login_id' }),
  hear('auth.login.progress', 1, { url: 'url' }, on),
  hear('auth.login.progress', 2, {}, on),
  derive('$url', 'good', (url) => comeBack(url)),
  derive('$url', 'bad', (url) => comeBack(url, { state: 'wrong' })),
  derive('$url', 'elsewhere', (url) => comeBack(url, {}, '/elsewhere')),
];
const callback = (input: Json, op = 'callback', on = 'a'): Step[] =>
  ask('auth.login.callback', { login_id: '$login', input }, { operation_id: `$op.${op}` }, on);
const stop = (op = 'stop', on = 'a'): Step[] =>
  ask('auth.login.cancel', { login_id: '$login' }, { operation_id: `$op.${op}` }, on);
const ended = hear('auth.login.terminal');

const starts: readonly (readonly [name: string, payload: Json])[] = [
  ['anthropic', { provider_id: 'anthropic' }],
  ['an unknown provider', { provider_id: 'nobody' }],
  ['an empty provider', { provider_id: '' }],
  ['no provider', {}],
  ['a provider that is null', { provider_id: null }],
  ['a further member', { ...CODEX, colour: 'red' }],
];

/** For a sign-in of this connection, and for none. */
const callbacks: readonly (readonly [name: string, payload: Json])[] = [
  ['another login', { login_id: 'nobody', input: 'x' }],
  ['no input', { login_id: '$login' }],
  ['an empty input', { login_id: '$login', input: '' }],
  ['an input of 4097 bytes', { login_id: '$login', input: 'x'.repeat(4_097) }],
  ['an input that is null', { login_id: '$login', input: null }],
  ['a further member', { login_id: '$login', input: 'x', colour: 'red' }],
  ['no login', { input: 'x' }],
];

export const SIGN_INS: readonly Script[] = [
  { name: 'auth.status', steps: [welcome(), ...ask('auth.status')] },
  ...starts.map(([name, payload]) => ({
    name: `start with ${name}`,
    steps: [welcome(), ...ask('auth.login.start', payload, { operation_id: '$op.s' }), ...lookup('s')],
  })),
  {
    name: 'begun, waiting, cancelled, and too late',
    steps: [
      welcome(),
      ...begin(),
      ...lookup('login'),
      ...stop('one'),
      ended,
      ...stop('two'),
      ...callback('x'),
      ...lookup('login'),
      ...lookup('one'),
      ...lookup('two'),
    ],
  },
  {
    name: 'a callback with a wrong state',
    steps: [
      welcome(),
      ...begin(),
      ...callback(WRONG_STATE),
      ended,
      ...lookup('login'),
      ...lookup('callback'),
    ],
  },
  {
    name: 'a callback to another address',
    steps: [welcome(), ...begin(), ...callback('http://localhost:1455/elsewhere?code=a&state=b'), ended],
  },
  {
    name: 'a callback without a code',
    steps: [welcome(), ...begin(), ...callback('http://localhost:1455/auth/callback?state=b'), ended],
  },
  {
    name: 'callbacks with bad payloads do not use the one chance up',
    steps: [
      welcome(),
      ...begin(),
      ...callbacks.flatMap(([, payload], index) =>
        ask('auth.login.callback', payload, { operation_id: `$op.c${index}` }),
      ),
      ...lookup('c1'),
      ...callback(WRONG_STATE),
      ended,
    ],
  },
  {
    name: 'callback and cancel without a sign-in',
    steps: [
      welcome(),
      ...callbacks.flatMap(([, payload], index) =>
        ask('auth.login.callback', payload, { operation_id: `$op.c${index}` }),
      ),
      ...ask('auth.login.cancel', { login_id: 'nobody' }, { operation_id: '$op.x' }),
      ...ask('auth.login.cancel', {}, { operation_id: '$op.y' }),
      ...ask('auth.login.cancel', { login_id: 'nobody', colour: 'red' }, { operation_id: '$op.z' }),
      ...lookup('x'),
      ...lookup('y'),
    ],
  },
  {
    name: 'cancel with bad payloads while it waits',
    steps: [
      welcome(),
      ...begin(),
      ...ask('auth.login.cancel', {}, { operation_id: '$op.x' }),
      ...ask('auth.login.cancel', { login_id: 'nobody' }, { operation_id: '$op.y' }),
      ...ask('auth.login.cancel', { login_id: '$login', colour: 'red' }, { operation_id: '$op.z' }),
      ...stop(),
      ended,
    ],
  },
  {
    name: 'one at a time, and only for its connection',
    steps: [
      welcome(),
      welcome('b'),
      ...begin(),
      ...ask('auth.login.start', CODEX, { operation_id: '$op.again' }),
      ...ask('auth.login.start', CODEX, { operation_id: '$op.other' }, 'b'),
      ...callback('x', 'foreign', 'b'),
      ...stop('foreign-stop', 'b'),
      ...lookup('login', 'b'),
      ...lookup('again'),
      ...stop(),
      ended,
    ],
  },
  {
    name: 'ends with its connection',
    steps: [
      welcome(),
      welcome('b'),
      ...begin(),
      close(),
      insist(lookup('login', 'b'), (answer) => JSON.stringify(answer).includes('"terminal"'), 'b'),
      ...begin('b', 'next'),
      ...ask('auth.login.cancel', { login_id: '$login' }, { operation_id: '$op.end' }, 'b'),
      hear('auth.login.terminal', 1, {}, 'b'),
    ],
  },
  {
    name: 'ends with a logout',
    steps: [
      welcome(),
      ...begin(),
      ...ask('auth.logout', { ...CODEX, confirmed: true }, { operation_id: '$op.out' }),
      ended,
      ...lookup('login'),
      ...lookup('out'),
    ],
    unordered: true,
  },
  {
    name: 'goes on through a logout of another provider',
    steps: [
      welcome(),
      ...begin(),
      ...ask('auth.logout', { provider_id: 'anthropic', confirmed: true }, { operation_id: '$op.out' }),
      ...ask('auth.status'),
      ...stop(),
      ended,
    ],
  },
  {
    name: 'the same operation again',
    steps: [
      welcome(),
      ...begin(),
      ...ask('auth.login.start', CODEX, { operation_id: '$op.login' }),
      ...stop(),
      ended,
    ],
  },
  {
    name: 'cancelled twice in one write',
    steps: [
      welcome(),
      ...begin(),
      send('auth.login.cancel', { login_id: '$login' }, { operation_id: '$op.one' }),
      send('auth.login.cancel', { login_id: '$login' }, { operation_id: '$op.two' }),
      settle(),
      ended,
    ],
  },
  {
    name: 'cancelled while the code is exchanged',
    alone: true,
    swallowed: true,
    differences: [
      { row: EXCHANGE, at: 'a missed', ours: ABSENT },
      // There the lookup already follows.
      { row: EXCHANGE, at: 'a[7]' },
      { row: EXCHANGE, at: 'a[8]', real: ABSENT },
    ],
    steps: [
      welcome(),
      ...begin(),
      ...callback('$good'),
      hear('auth.login.progress', 4),
      pause(500),
      ...stop(),
      ended,
      ...lookup('login'),
    ],
  },
  {
    name: 'a code that nobody exchanges',
    steps: [welcome(), ...begin(), ...callback('$good'), ended, ...lookup('login')],
  },
  {
    name: 'a browser with another state',
    alone: true,
    steps: [welcome(), ...begin(), browse('$bad'), pause(300), ...lookup('login'), ...stop(), ended],
  },
  {
    name: 'a browser at another address',
    alone: true,
    steps: [welcome(), ...begin(), browse('$elsewhere'), pause(300), ...lookup('login'), ...stop(), ended],
  },
];

/** Where the issuer would send a browser. */
function comeBack(url: string, changes: Readonly<Record<string, string>> = {}, path?: string): string {
  const { searchParams } = new URL(url);
  const back = new URL(searchParams.get('redirect_uri') ?? '');
  if (path !== undefined) back.pathname = path;
  const state = searchParams.get('state') ?? '';
  back.search = new URLSearchParams({ code: 'invented', state, ...changes }).toString();
  return back.href;
}

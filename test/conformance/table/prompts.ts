/** What may be asked in a turn, and what becomes of it (lifecycle: "Turn lifecycle"). */
import type { Json } from '../../../src/wire/json.ts';
import type { Script } from '../script.ts';
import { ask, controlled, held, lookup, turn } from '../steps.ts';

/** Payloads that are refused before the operation ID counts, or after. */
const payloads: readonly (readonly [name: string, payload: Json])[] = [
  ['no prompt', {}],
  ['a prompt that is null', { prompt: null }],
  ['a prompt that is a number', { prompt: 1 }],
  ['an empty prompt', { prompt: '' }],
  ['a blank prompt', { prompt: ' \t\n' }],
  ['a prompt of NBSP', { prompt: '\u00a0\u3000' }],
  ['a prompt of U+0085', { prompt: '\u0085' }],
  ['a prompt of 16385 bytes', { prompt: `${'é'.repeat(8_192)}x` }],
  ['a further member', { prompt: 'hello', colour: 'red' }],
  ['attachments', { prompt: 'hello', attachments: [] }],
  ['application null', { prompt: 'hello', application: null }],
  ['application an object', { prompt: 'hello', application: {} }],
  ['application a string', { prompt: 'hello', application: 'x' }],
  ['application an array', { prompt: 'hello', application: [] }],
  ['/side', { prompt: '/side' }],
  ['/side and text', { prompt: '/side why' }],
  ['/side after U+0085', { prompt: '\u0085/side' }],
  ['/side and U+00A0', { prompt: '/side\u00a0why' }],
  ['/side after blanks', { prompt: ' \n /side why' }],
  ['/side and a line feed', { prompt: '/side\nwhy' }],
  ['/side and application null', { prompt: '/side', application: null }],
  ['a blank prompt and a further member', { prompt: ' ', colour: 'red' }],
];

const prompts: readonly (readonly [name: string, prompt: string])[] = [
  ['plain', 'hello'],
  ['/sidecar', '/sidecar'],
  ['/help', '/help'],
  ['//side', '//side'],
  ['text before /side', 'well, /side'],
  ['that is answered too long', 'say too much'],
  ['that is answered with too many quotes', 'say many quotes'],
  ['that is answered too long in pieces', 'say too much in pieces'],
  ['/SIDE', '/SIDE'],
  ['of U+FEFF', '\ufeff'],
  ['/side after U+FEFF', '\ufeff/side'],
  ['of 16384 bytes', 'é'.repeat(8_192)],
  ['with blanks around', '  hello \n'],
  ['with emoji', 'Hi 👩‍💻!'],
  ['that leads to a tool', 'use a tool'],
  ['that leads to a failing tool', 'use a tool that fails'],
  ['that leads to an unknown tool', 'use a tool of nobody'],
  ['that is answered with nothing', 'say nothing'],
];

export const PROMPTS: readonly Script[] = [
  ...payloads.map(([name, payload]) => ({
    name: `refused: ${name}`,
    steps: [...controlled(), ...ask('turn.start', payload, held('start')), ...lookup('start')],
  })),
  ...prompts.map(([name, prompt]) => ({
    name: `a prompt ${name}`,
    steps: [
      ...controlled(),
      ...turn(prompt),
      ...lookup('start'),
      ...ask('session.replay', {}, { session_id: '$session' }),
    ],
  })),
];

/** Which slots an operation needs: all other combinations, for each operation (lifecycle: "Operations"). */

import type { Json } from '../../../src/wire/json.ts';
import { isMethod, OPERATIONS } from '../../../src/wire/operations.ts';
import { INITIALIZE } from '../../interop/raw-peer.ts';
import type { JsonObject } from '../../support/traces.ts';
import type { Script, Step } from '../script.ts';
import { ask, greet, welcome } from '../steps.ts';

const METHODS = Object.keys(OPERATIONS).filter(isMethod);
const BOTH = [false, true];

function combinations(): (readonly [operation: boolean, session: boolean, control: boolean])[] {
  return BOTH.flatMap((operation) =>
    BOTH.flatMap((session) => BOTH.map((control) => [operation, session, control] as const)),
  );
}

function slots(operation: boolean, session: boolean, control: boolean): JsonObject {
  return {
    operation_id: operation ? '$op.slots' : null,
    session_id: session ? 'no-such-session' : null,
    control: control ? { grant_id: 'g', generation: 1 } : null,
  };
}

function wrong(method: (typeof METHODS)[number]): Step[] {
  const needs = OPERATIONS[method];
  return combinations()
    .filter(
      ([operation, session, control]) =>
        operation !== needs.mutation || session !== needs.session || control !== needs.control,
    )
    .flatMap((combination) => ask(method, PAYLOADS[method] ?? {}, slots(...combination)));
}

/** Good ones, so that only the slots are wrong. */
const PAYLOADS: Readonly<Record<string, Json>> = {
  initialize: INITIALIZE,
  'turn.start': { prompt: 'hello' },
  'turn.cancel': { turn_id: 't' },
  'operation.lookup': { target_instance_id: 'i', operation_id: 'o' },
  'auth.login.start': { provider_id: 'openai-codex' },
  'auth.login.callback': { login_id: 'l', input: 'i' },
  'auth.login.cancel': { login_id: 'l' },
  'auth.logout': { provider_id: 'openai-codex', confirmed: true },
  'catalog.models': { provider_id: 'anthropic' },
  'catalog.refresh': { provider_id: 'anthropic' },
  'config.set': { scope: 'global', fast: true },
};

/** Slots that fit, with a payload that no operation takes. */
function strange(method: (typeof METHODS)[number], payload: Json, name: string): Step[] {
  const { control, mutation, session } = OPERATIONS[method];
  const fitting = slots(mutation, session, control);
  return ask(method, payload, mutation ? { ...fitting, operation_id: `$op.${name}` } : fitting);
}

const STRANGE: readonly (readonly [name: string, payload: Json])[] = [
  ['null', null],
  ['a string', 'payload'],
  ['a number', 7],
  ['an unknown member', { colour: 'red' }],
];

export const SLOT_RULES: readonly Script[] = [
  ...METHODS.map((method) => ({ name: `slots of ${method}`, steps: [welcome(), ...wrong(method)] })),
  ...METHODS.filter((method) => method !== 'initialize').map((method) => ({
    name: `strange payloads for ${method}`,
    steps: [welcome(), ...STRANGE.flatMap(([name, payload]) => strange(method, payload, name))],
  })),
  {
    name: 'slots are told before initialize',
    steps: [greet(), ...METHODS.filter((method) => method !== 'initialize').flatMap(wrong)],
  },
  {
    name: 'without initialize nothing is done',
    steps: [
      greet(),
      ...METHODS.filter((method) => method !== 'initialize').flatMap((method) =>
        strange(method, PAYLOADS[method] ?? {}, 'early'),
      ),
    ],
  },
];

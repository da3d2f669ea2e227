/** Short words for steps. */
import type { Json } from '../../src/wire/json.ts';
import type { JsonObject } from '../support/traces.ts';
import type { Around, Keep, Step } from './script.ts';

type Slots = Readonly<Record<string, Json | undefined>>;

export const connect = (on = 'a'): Step => ({ do: 'connect', on });
export const hello = (changes: Readonly<Record<string, string | undefined>> = {}, on = 'a'): Step => ({
  do: 'hello',
  on,
  changes,
});
export const helloText = (text: (good: Readonly<Record<string, string>>) => string, on = 'a'): Step => ({
  do: 'hello-text',
  on,
  text,
});
export const greet = (on = 'a'): Step => ({ do: 'greet', on });
export const welcome = (on = 'a'): Step => ({ do: 'welcome', on });
export const beside = (on = 'b'): Step => ({ do: 'beside', on });
export const bytes = (text: string | Uint8Array, answers = 0, on = 'a'): Step => ({
  do: 'bytes',
  on,
  bytes: text,
  answers,
});
export const ends = (on = 'a'): Step => ({ do: 'end', on });
export const close = (on = 'a'): Step => ({ do: 'close', on });
export const finish = (on = 'a'): Step => ({ do: 'finish', on });
export const pause = (ms: number): Step => ({ do: 'pause', ms });
export const world = (act: (around: Around) => void): Step => ({ do: 'world', act });
export const look = (see: (around: Around) => Json): Step => ({ do: 'look', see });
export const settle = (on = 'a', keep: Keep = {}): Step => ({ do: 'settle', on, keep });
export const derive = (from: string, name: string, make: (text: string) => string): Step => ({
  do: 'derive',
  from,
  name,
  make,
});
export const browse = (address: string): Step => ({ do: 'browse', address });
export const burst = (method: string, count: number, answers: number, on = 'a'): Step => ({
  do: 'burst',
  on,
  method,
  count,
  answers,
});
export const hear = (event: string, count = 1, keep: Keep = {}, on = 'a'): Step => ({
  do: 'hear',
  on,
  event,
  count,
  keep,
});

export function send(method: Json, payload: Json = {}, slots: Slots = {}, on = 'a'): Step {
  return { do: 'send', on, method, payload, slots };
}

/** Sends and waits for the answer. */
export function ask(method: Json, payload: Json = {}, slots: Slots = {}, on = 'a', keep: Keep = {}): Step[] {
  return [send(method, payload, slots, on), settle(on, keep)];
}

/** A request whose line is written by hand from the good record. */
export function askLine(
  method: string,
  payload: Json,
  line: (record: JsonObject) => string,
  slots: Slots = {},
): Step[] {
  return [{ do: 'send', on: 'a', method, payload, slots, line }, settle()];
}

/** Asks the same until the answer fits; operation IDs in it are fresh each time. */
export function insist(request: readonly Step[], until: (answer: JsonObject) => boolean, on = 'a'): Step {
  return { do: 'insist', on, request, until };
}

/** A new session, kept as `$name`. */
export function create(on = 'a', name = 'session'): Step[] {
  return ask('session.create', {}, { operation_id: `$op.create-${name}` }, on, { [name]: 'session_id' });
}

/** Control of a session, kept as `$name.control`. */
export function claim(on = 'a', name = 'session', op = `claim-${name}`): Step[] {
  return ask('session.claim', {}, { operation_id: `$op.${op}`, session_id: `$${name}` }, on, {
    grant: 'grant_id',
    generation: 'generation',
  });
}

/** A connection that controls a new session. */
export function controlled(on = 'a'): Step[] {
  return [welcome(on), ...create(on), ...claim(on)];
}

export const CONTROL: JsonObject = { grant_id: '$grant', generation: '$generation' };

/** Slots of a controlled mutation. */
export function held(op: string, changes: Slots = {}): Slots {
  return { operation_id: `$op.${op}`, session_id: '$session', control: CONTROL, ...changes };
}

export function start(prompt: string, op = 'start', on = 'a'): Step[] {
  return ask('turn.start', { prompt }, held(op), on, { turn: 'turn_id' });
}

/** A whole turn. */
export function turn(prompt: string, op = 'start', count = 1): Step[] {
  return [...start(prompt, op), hear('turn.terminal', count)];
}

export function cancel(op = 'cancel', on = 'a'): Step[] {
  return ask('turn.cancel', { turn_id: '$turn' }, held(op), on);
}

export function lookup(op: string, on = 'a'): Step[] {
  return ask(
    'operation.lookup',
    { target_instance_id: `$${on}.instance`, operation_id: `$op.${op}` },
    {},
    on,
  );
}

/** Whether a response is refused with this code. */
export function refusedWith(code: string): (answer: JsonObject) => boolean {
  return ({ error }) => JSON.stringify(error).includes(`"${code}"`);
}

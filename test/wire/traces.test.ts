/** Every record of the recorded conversations is what the schemas say (PROTOCOL.md, "Envelopes", "Operations"). */
import { describe, expect, test } from 'vitest';
import { decodeEvent, decodeRecord } from '../../src/client/decode.ts';
import { requestEnvelope } from '../../src/wire/envelope.ts';
import { ERRORS, isErrorCode } from '../../src/wire/errors.ts';
import { hello, helloReply } from '../../src/wire/handshake.ts';
import { initializeResult } from '../../src/wire/initialize.ts';
import { encodeRecord } from '../../src/wire/json.ts';
import { EVENTS, isEventName, isMethod, OPERATIONS } from '../../src/wire/operations.ts';
import { preflight } from '../../src/wire/preflight.ts';
import {
  isHello,
  type JsonObject,
  objectOf,
  readTrace,
  TRACE_IDENTITY,
  TRACE_VERSION,
} from '../support/traces.ts';

/** Parts of the wire that this version does not have yet, and why. */
const NOT_YET: Readonly<Record<string, string>> = {
  'executor.create': 'the application profile is not implemented',
  'executor.confirm': 'the application profile is not implemented',
  'session.resources.list': 'the application profile is not implemented',
  'session.resources.register': 'the application profile is not implemented',
  'turn.application_evidence': 'the application profile is not implemented',
  'turn.application_tool_result': 'the application profile is not implemented',
  'turn.application_tool_call': 'the application profile is not implemented',
};
/** Asked for in a trace to be refused. */
const NEVER = ['session.open'];

const TRACES = [
  '01-handshake-initialize-status',
  '02-session-lifecycle',
  '03-turn-completed-with-tool',
  '04-turn-cancelled',
  '05-disconnect-and-reclaim',
  '06-persistence-failed',
  '07-output-limit',
  '08-auth-login',
  '09-operation-identity-and-lookup',
  '10-fencing-and-errors',
  '11-application-callback',
  '12-config-and-catalog',
];

describe.each(TRACES)('%s', (name) => {
  const trace = readTrace(name);
  const refused = new Set<unknown>();
  const skipped: string[] = [];
  for (const { dir, record } of trace)
    if (dir === 's2c' && record.error != null) refused.add(record.request_id ?? null);

  test('everything the service sends decodes', () => {
    for (const { dir, record } of trace) if (dir === 's2c') checkOutput(record);
  });

  test('every request that the service accepted is valid here', () => {
    for (const { dir, record } of trace) if (dir === 'c2s') checkInput(record);
  });

  test('only what is listed is skipped', () => {
    const allowed = name.startsWith('11');
    expect(skipped.filter((method) => !(method in NOT_YET) || !allowed)).toEqual([]);
  });

  function checkOutput(record: JsonObject): void {
    if (isHello(record)) {
      expect(helloReply.safeParse(record).error).toBeUndefined();
      return;
    }
    const decoded = decodeRecord(encodeRecord(record).subarray(0, -1));
    if (decoded.kind === 'violation') throw new Error(decoded.detail);
    const { record: envelope } = decoded;
    if (envelope.kind === 'event') {
      if (envelope.event in NOT_YET) skipped.push(envelope.event);
      else checkEvent(envelope.event, decodeEvent(envelope), record);
    } else if (envelope.error !== null) {
      if (!isErrorCode(envelope.error.code)) throw new Error(`unknown code ${envelope.error.code}`);
      expect(envelope.error.message).toBe(ERRORS[envelope.error.code].message);
    } else if (envelope.method !== null && isMethod(envelope.method)) {
      const result = OPERATIONS[envelope.method].result.safeParse(envelope.payload);
      expect(result.error, envelope.method).toBeUndefined();
      expect(objectOf(record.payload)).toMatchObject(objectOf(JSON.parse(JSON.stringify(result.data))));
    } else skipped.push(String(envelope.method));
  }

  function checkEvent(event: string, decoded: unknown, record: JsonObject): void {
    if (!isEventName(event)) throw new Error(`unknown event ${event}`);
    expect(EVENTS[event].safeParse(record.payload).error).toBeUndefined();
    expect(decoded).toMatchObject({
      event,
      sessionId: record.session_id,
      operationId: record.operation_id,
      generation: record.grant_generation,
      liveSequence: record.live_sequence,
    });
  }

  function checkInput(record: JsonObject): void {
    if (isHello(record)) {
      expect(hello.safeParse(record).error).toBeUndefined();
      return;
    }
    if (refused.has(record.request_id ?? null)) return;
    const request = requestEnvelope.safeParse(record);
    expect(request.error).toBeUndefined();
    const method = String(record.method);
    if (!isMethod(method)) {
      if (!NEVER.includes(method)) skipped.push(method);
      return;
    }
    const operation = OPERATIONS[method];
    expect(operation.request.safeParse(record.payload).error, method).toBeUndefined();
    expect({
      mutation: record.operation_id !== null,
      session: record.session_id !== null,
      control: record.control !== null,
    }).toEqual({ mutation: operation.mutation, session: operation.session, control: operation.control });
  }
});

test('the service of every ordinary trace passes the preflight', () => {
  for (const name of TRACES.filter((trace) => !trace.startsWith('11')))
    for (const { dir, record } of readTrace(name))
      if (dir === 's2c' && record.method === 'initialize' && record.error === null)
        expect(
          preflight(initializeResult.parse(record.payload), {
            identity: TRACE_IDENTITY,
            version: TRACE_VERSION,
          }),
        ).toBeNull();
});

test('a reason is given for every part that is skipped', () => {
  expect(Object.values(NOT_YET).every((reason) => reason.length > 10)).toBe(true);
  expect(Object.keys(NOT_YET).filter((name) => isMethod(name) || isEventName(name))).toEqual([]);
});

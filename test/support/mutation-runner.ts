/**
 * A real client hears a recorded conversation in which one record was changed (PROTOCOL.md, "Evolution").
 * The client makes the requests of the recording through the same functions as the program.
 */
import { expect, test } from 'vitest';
import { type Connection, openConnection } from '../../src/client/connection.ts';
import { asFailure } from '../../src/client/failure.ts';
import { type OperationKey, settleOperation } from '../../src/client/lookup.ts';
import { type ControlledSession, claimSession } from '../../src/client/session-control.ts';
import { encodeRecord } from '../../src/wire/json.ts';
import { isMethod, OPERATIONS } from '../../src/wire/operations.ts';
import { until } from '../client/helpers.ts';
import { ScriptedService } from './scripted-service.ts';
import {
  isHello,
  type JsonObject,
  labelOf,
  labelsBefore,
  labelsIn,
  lineAt,
  type Mutation,
  objectOf,
  type Row,
  type TraceLine,
} from './traces.ts';

/** Conversations that are heard whole in spite of the change. */
export function areAccepted(rows: readonly Row[]): void {
  const cases = rows.map(([name, at, mutation]) => ({ name, at, mutation }));
  test.each(cases)('$name is accepted ($at)', async ({ at, mutation }) => {
    const { heard, code } = await converse(at, mutation);
    expect({ heard, code }).toEqual({ heard: labelsIn(lineAt(at).lines), code: 'endpoint_closed' });
  });
}

/** Conversations that end as a violation of the protocol, by the words that say what is wrong. */
export function areViolations(rows: Readonly<Record<string, readonly Row[]>>): void {
  const cases = Object.entries(rows).flatMap(([detail, list]) =>
    list.map(([name, at, mutation, refusedAt = at]) => ({ name, at, mutation, refusedAt, detail })),
  );
  test.each(cases)('$at: $detail ($name)', async ({ at, mutation, refusedAt, detail }) => {
    expect(await converse(at, mutation)).toEqual({
      heard: labelsBefore(refusedAt),
      code: 'protocol_violation',
      sentence: `The service broke the protocol: ${detail}.`,
    });
  });
}

export interface Outcome {
  /** Methods whose answers came through, and events that were told, in order. */
  readonly heard: readonly string[];
  readonly code: string;
  readonly sentence: string;
}

/** A client makes the requests of the socket that `at` is in; the service answers with one record changed. */
export async function converse(at: string, mutation: Mutation): Promise<Outcome> {
  const { target, lines, trace } = lineAt(at);
  const made = mutation(target.record);
  expect(Buffer.isBuffer(made) ? made : encodeRecord(made)).not.toEqual(encodeRecord(target.record));
  const service = await ScriptedService.start(async (peer) => {
    if (Buffer.isBuffer(made)) {
      await peer.play(lines.slice(0, lines.indexOf(target)));
      peer.sendBytes(made);
    } else await peer.play(lines.map((line) => (line === target ? { ...line, record: made } : line)));
    peer.close();
  });
  try {
    return await hear(service, lines, trace);
  } finally {
    await service.stop();
    expect(service.errors).toEqual([]);
  }
}

async function hear(
  service: ScriptedService,
  lines: readonly TraceLine[],
  trace: readonly TraceLine[],
): Promise<Outcome> {
  const heard: string[] = [];
  let connection: Connection;
  try {
    connection = await openConnection(service.options);
  } catch (error) {
    const { code, sentence } = asFailure(error);
    return { heard, code, sentence };
  }
  heard.push('initialize');
  let came = 1;
  let ended: Outcome | null = null;
  connection.onClose(({ code, sentence }) => {
    ended = { heard, code, sentence };
  });
  connection.onEvent(({ event, sessionId }) => {
    came += 1;
    // Turn events are told by the controlled session.
    if (sessionId === null) heard.push(event);
  });
  const request = requester({ connection, heard, trace });
  const answers: Promise<void>[] = [];
  for (const [index, { dir, record }] of lines.entries()) {
    if (dir === 's2c' || isHello(record) || record.method === 'initialize') continue;
    await until(() => ended !== null || came >= labelsIn(lines.slice(0, index)).length);
    if (ended !== null) break;
    const answered = (failure: unknown = null) => {
      came += 1;
      if (ended === null) heard.push(labelOf(record));
      else if (failure !== null)
        expect(['link_lost', 'protocol_violation']).toContain(asFailure(failure).code);
    };
    answers.push(request(record).then(() => answered(), answered));
  }
  await until(() => ended !== null);
  await Promise.all(answers);
  if (ended === null) throw new Error('the connection did not end');
  return ended;
}

interface Requester {
  readonly connection: Connection;
  readonly heard: string[];
  readonly trace: readonly TraceLine[];
}

/** Makes the requests of a trace as the program makes them. */
function requester({ connection, heard, trace }: Requester): (record: JsonObject) => Promise<unknown> {
  let session: ControlledSession | null = null;
  return async (record) => {
    const payload = objectOf(record.payload);
    const sessionId = String(record.session_id);
    const operationId = String(record.operation_id);
    const method = labelOf(record);
    if (method === 'session.claim') {
      session = await claimSession(connection, sessionId);
      session.onEvent(({ type }) => heard.push(`turn.${type === 'delta' ? 'assistant_delta' : type}`));
      return session;
    }
    if (method === 'turn.start') return session?.startTurn(String(payload.prompt), operationId);
    if (method === 'turn.cancel') return session?.cancelTurn(String(payload.turn_id));
    if (method === 'session.detach') return session?.detach();
    if (method === 'operation.lookup') {
      const key = keyOf(payload, trace);
      if (key.instanceId === connection.service.instance_id)
        return settleOperation(connection, key, noSecondLook);
    }
    if (!isMethod(method)) throw new Error(`no such method: ${method}`);
    const place = record.session_id === null ? {} : { sessionId };
    const slots = record.operation_id === null ? place : { ...place, operationId };
    return connection.request(method, OPERATIONS[method].request.parse(payload), slots);
  };
}

/** What a lookup in a trace is about, from the request that it looks up. */
function keyOf(payload: JsonObject, trace: readonly TraceLine[]): OperationKey {
  const operationId = String(payload.operation_id);
  const sent = trace.find(({ dir, record }) => dir === 'c2s' && record.operation_id === operationId);
  const method = String(sent?.record.method);
  const sessionId = sent?.record.session_id;
  return {
    instanceId: String(payload.target_instance_id),
    operationId,
    method: isMethod(method) ? method : 'turn.start',
    sessionId: typeof sessionId === 'string' ? sessionId : null,
  };
}

/** The traces look once. */
function noSecondLook(): Promise<never> {
  return Promise.reject(new Error('still unknown'));
}

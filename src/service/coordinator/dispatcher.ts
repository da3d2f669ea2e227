/**
 * From a line to its response: the ladder, the operation table, the operation (PROTOCOL.md, "Errors").
 * Invariants: every admitted record gets exactly one response; an operation ID is taken before the operation
 * runs and settled by its outcome; the response of a start is queued before the first event of its turn.
 */
import { PROTOCOL_VERSION, type RequestEnvelope } from '../../wire/envelope.ts';
import { type ErrorCode, errorOf } from '../../wire/errors.ts';
import { empty } from '../../wire/fields.ts';
import { pathId } from '../../wire/identity.ts';
import { lookupRequest } from '../../wire/operation.ts';
import { type AnyMethod, isProfileMethod } from '../../wire/operations.ts';
import type { AuthOperations } from '../auth/auth-operations.ts';
import type { Configuration } from '../config/configuration.ts';
import type { SettingsOperations } from '../config/settings-operations.ts';
import type { Connection } from '../endpoint/connection.ts';
import { decode, type Echo } from '../endpoint/decode.ts';
import type { Identity } from '../endpoint/handshake.ts';
import type { Log } from '../log.ts';
import { capabilitiesOf, negotiate } from '../profile/negotiation.ts';
import type { ProfileOperations } from '../profile/profile-operations.ts';
import type { SessionOperations } from '../sessions/session-operations.ts';
import type { TurnOperations } from '../turns/turn-operations.ts';
import { admit } from './admission.ts';
import { type Operation, type OperationTable, UNKNOWN } from './operation-table.ts';
import { answer, type Call, fail, type MutationCall, type Reply, refuse, settle } from './reply.ts';

export interface DispatcherOptions {
  readonly instanceId: string;
  readonly identity: Identity;
  readonly table: OperationTable;
  readonly sessions: SessionOperations;
  readonly turns: TurnOperations;
  readonly settings: SettingsOperations;
  readonly auth: AuthOperations;
  readonly profile: ProfileOperations;
  readonly configuration: Configuration;
  /** Protocol connections, initialized or not. */
  readonly clients: () => number;
  readonly log: Log;
}

export class Dispatcher {
  readonly #options: DispatcherOptions;

  constructor(options: DispatcherOptions) {
    this.#options = options;
  }

  take(connection: Connection, line: Uint8Array): void {
    const decoded = decode(line);
    const { echo } = decoded;
    const isDuplicate = echo.request_id !== null && connection.owes(echo.request_id);
    if (!connection.owe(echo.request_id)) return;
    if (isDuplicate) this.#respond(connection, echo, refuse('duplicate_request_id'));
    else if (decoded.ok) this.#admitted(connection, decoded.request, echo);
    else this.#respond(connection, echo, refuse(decoded.code));
  }

  #admitted(connection: Connection, request: RequestEnvelope, echo: Echo): void {
    const admission = admit(request, connection.profile);
    if (!admission.ok) {
      this.#respond(connection, echo, refuse(admission.code));
      return;
    }
    const { method } = admission;
    const fence = this.#fence(connection, request, method);
    if (fence !== null) {
      this.#respond(connection, echo, refuse(fence));
      return;
    }
    const { operation_id, payload, session_id } = request;
    if (operation_id === null) {
      this.#run(connection, echo, null, () => this.#read(connection, request, method));
      return;
    }
    const reservation = this.#options.table.reserve(operation_id, { method, sessionId: session_id, payload });
    if (!reservation.ok) {
      this.#respond(connection, echo, refuse(reservation.code));
      return;
    }
    const { operation } = reservation;
    const call = { connection, request, operation };
    this.#run(connection, echo, operation, () => this.#mutate(call, method));
  }

  /** Initialization and the identities of instance and connection. */
  #fence(connection: Connection, request: RequestEnvelope, method: AnyMethod): ErrorCode | null {
    const { connection_id, instance_id } = request;
    if (method === 'initialize') {
      if (connection.initialized) return 'already_initialized';
      return instance_id === null && connection_id === null ? null : 'invalid_request';
    }
    if (!connection.initialized) return 'not_initialized';
    if (instance_id !== this.#options.instanceId) return 'stale_instance';
    return connection_id === connection.id ? null : 'stale_connection';
  }

  /** Answers at once where the operation does, so that synchronous operations keep their order. */
  #run(
    connection: Connection,
    echo: Echo,
    operation: Operation | null,
    work: () => Reply | Promise<Reply>,
  ): void {
    const failed = (error: unknown): Reply => {
      this.#options.log.error('an operation failed', { method: echo.method, reason: String(error) });
      return fail('internal_error');
    };
    const finish = (reply: Reply): void => {
      if (operation !== null) settle(operation, reply);
      this.#respond(connection, echo, reply);
    };
    let reply: Reply | Promise<Reply>;
    try {
      reply = work();
    } catch (error) {
      reply = failed(error);
    }
    if (reply instanceof Promise) void reply.catch(failed).then(finish);
    else finish(reply);
  }

  #read(connection: Connection, request: RequestEnvelope, method: AnyMethod): Reply | Promise<Reply> {
    const { profile, sessions, settings } = this.#options;
    const call: Call = { connection, request };
    if (isProfileMethod(method)) return profile.read(call, method);
    switch (method) {
      case 'initialize':
        return this.#initialize(connection, request);
      case 'status':
        return this.#status(call);
      case 'capabilities':
        return capabilities(call);
      case 'operation.lookup':
        return this.#lookup(call);
      case 'session.list':
        return sessions.list(call);
      case 'session.active':
        return sessions.active(call);
      case 'session.replay':
        return sessions.replay(call);
      case 'auth.status':
        return settings.authStatus(call);
      case 'catalog.providers':
        return settings.listProviders(call);
      case 'catalog.models':
        return settings.listModels(call);
      case 'config.get':
        return settings.get(call);
      default:
        return refuse('internal_error');
    }
  }

  #mutate(call: MutationCall, method: AnyMethod): Reply | Promise<Reply> {
    const { auth, profile, sessions, settings, turns } = this.#options;
    if (isProfileMethod(method)) return profile.mutate(call, method);
    switch (method) {
      case 'session.create':
        return sessions.create(call);
      case 'session.claim':
        return sessions.claim(call);
      case 'session.detach':
        return sessions.detach(call);
      case 'turn.start':
        return turns.start(call);
      case 'turn.cancel':
        return turns.cancel(call);
      case 'auth.login.start':
        return auth.start(call);
      case 'auth.login.callback':
        return auth.callback(call);
      case 'auth.login.cancel':
        return auth.cancel(call);
      case 'auth.logout':
        return auth.logout(call);
      case 'catalog.refresh':
        return settings.refresh(call);
      case 'config.set':
        return settings.set(call);
      default:
        return refuse('internal_error');
    }
  }

  #initialize(connection: Connection, request: RequestEnvelope): Reply {
    const negotiation = negotiate(request.payload);
    if (!negotiation.ok) return refuse(negotiation.code);
    connection.markInitialized(negotiation.profile);
    const granted = capabilitiesOf(connection);
    const { identity, instanceId } = this.#options;
    return answer({
      protocol_version: PROTOCOL_VERSION,
      server_name: 'magi-term',
      server_version: identity.version,
      instance_id: instanceId,
      connection_id: connection.id,
      ...this.#ids(),
      limits: granted.limits,
      capabilities: granted,
    });
  }

  #status({ request }: Call): Reply {
    if (!empty.safeParse(request.payload).success) return refuse('invalid_payload');
    const provider_auth_ready = this.#options.configuration.authReady();
    if (provider_auth_ready === null) return refuse('internal_error');
    const { clients, instanceId, table } = this.#options;
    return answer({
      service: 'ready',
      provider_auth_ready,
      instance_id: instanceId,
      ...this.#ids(),
      connected_clients: clients(),
      admitted_operations: table.unsettled,
    });
  }

  #lookup({ request }: Call): Reply {
    const parsed = lookupRequest.safeParse(request.payload);
    if (!parsed.success) return refuse('invalid_payload');
    const { instanceId, table } = this.#options;
    const { operation_id, target_instance_id } = parsed.data;
    const outcome = target_instance_id === instanceId ? table.lookup(operation_id) : UNKNOWN;
    return answer({ target_instance_id, operation_id, ...outcome });
  }

  #ids(): { workspace_id: string; state_root_id: string } {
    const { stateRoot, workspace } = this.#options.identity;
    return { workspace_id: pathId(workspace), state_root_id: pathId(stateRoot) };
  }

  #respond(connection: Connection, echo: Echo, reply: Reply): void {
    connection.respond({
      protocol_version: PROTOCOL_VERSION,
      kind: 'response',
      instance_id: this.#options.instanceId,
      connection_id: connection.id,
      ...echo,
      payload: reply.ok ? reply.payload : null,
      error: reply.ok ? null : errorOf(reply.code),
    });
    if (reply.ok) reply.afterwards();
  }
}

function capabilities({ connection, request: { payload } }: Call): Reply {
  return empty.safeParse(payload).success ? answer(capabilitiesOf(connection)) : refuse('invalid_payload');
}

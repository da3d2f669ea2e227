/**
 * The embedded service: everything put together, and its life (PROTOCOL.md, "Endpoint", "Handshake").
 * Invariants: the lock outlives the socket; after a successful stop nothing more is accepted; `done` resolves
 * once, when socket and lock are gone.
 */
import { randomUUID } from 'node:crypto';
import { createServer, type Server, type Socket } from 'node:net';
import type { Lock } from '../platform/lock.ts';
import { readSettings } from '../platform/settings.ts';
import { LIMITS } from '../wire/limits.ts';
import type { AuthOperations } from './auth/auth-operations.ts';
import { MAX_SOCKETS } from './bounds.ts';
import { within } from './clock.ts';
import type { Actors } from './coordinator/actors.ts';
import type { Dispatcher } from './coordinator/dispatcher.ts';
import type { OperationTable } from './coordinator/operation-table.ts';
import { Connection } from './endpoint/connection.ts';
import { openEndpoint } from './endpoint/endpoint.ts';
import { awaitHello, judgeHello, replyLine } from './endpoint/handshake.ts';
import { type IdleTiming, IdleWatch } from './endpoint/idle-watch.ts';
import { RestWatch } from './endpoint/rest-watch.ts';
import { assemble, type PartsOptions } from './parts.ts';
import { expireSessions } from './sessions/retention.ts';
import { SessionFolder } from './sessions/session-folder.ts';
import type { Turns } from './turns/turns.ts';

export interface ServiceOptions extends PartsOptions {
  readonly timing: IdleTiming;
}

export const DEFAULT_TIMING: IdleTiming = {
  idleShutdownMs: LIMITS.idle_shutdown_ms,
  startupGraceMs: LIMITS.startup_grace_ms,
};

export type Started =
  | { readonly ok: true; readonly service: Service }
  | { readonly ok: false; readonly reason: string };

/** For running turns to be told to stop and to reach the disk, and for a sign-in to end. */
const INTERRUPT_MS = 3_000;
/** For the last records to leave. */
const FAREWELL_MS = 500;

export async function startService(options: ServiceOptions): Promise<Started> {
  const folder = new SessionFolder(options.stateRoot);
  try {
    folder.prepare();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    return { ok: false, reason: `The state folder ${options.stateRoot} cannot be written: ${code}.` };
  }
  const server = createServer();
  const endpoint = await openEndpoint(options.workspace, options.stateRoot, server);
  if (!endpoint.ok) return endpoint;
  const { lock, socket } = endpoint;
  return { ok: true, service: new Service(options, folder, { server, lock, socket }) };
}

interface Listening {
  readonly server: Server;
  readonly lock: Lock;
  readonly socket: string;
}

export class Service {
  readonly instanceId = randomUUID();
  /** Path of the socket. */
  readonly socket: string;
  readonly done: Promise<void>;
  readonly #options: ServiceOptions;
  readonly #listening: Listening;
  readonly #sockets = new Set<Socket>();
  readonly #connections = new Set<Connection>();
  readonly #actors: Actors;
  readonly #table: OperationTable;
  readonly #turns: Turns;
  readonly #auth: AuthOperations;
  readonly #dispatcher: Dispatcher;
  readonly #idle: IdleWatch;
  readonly #rest: RestWatch;
  #isEnding = false;
  #ending: Promise<void> | null = null;
  #ended: () => void = () => undefined;

  constructor(options: ServiceOptions, folder: SessionFolder, listening: Listening) {
    const { clock, log, workspace } = options;
    this.#options = options;
    this.#listening = listening;
    this.socket = listening.socket;
    this.done = new Promise((resolve) => {
      this.#ended = resolve;
    });
    const { actors, auth, dispatcher, providers, table, turns } = assemble(options, folder, {
      instanceId: this.instanceId,
      changed: () => this.#changed(),
      clients: () => this.#connections.size,
    });
    this.#actors = actors;
    this.#auth = auth;
    this.#dispatcher = dispatcher;
    this.#table = table;
    this.#turns = turns;
    this.#idle = new IdleWatch(
      clock,
      options.timing,
      () => this.#isIdle(),
      () => void this.shutdown('idle'),
    );
    this.#rest = new RestWatch(clock, () => turns.count === 0);
    listening.server.on('connection', (socket) => this.#accept(socket));
    listening.server.on('error', (error) =>
      log.error('a socket could not be accepted', { reason: String(error) }),
    );
    void providers.probe(0);
    const read = readSettings(options.settingsFile);
    const days = read.ok ? (read.settings.keepSessionsDays ?? null) : null;
    expireSessions({ folder, days, now: clock.now(), log });
    this.#changed();
    log.info('service ready', { socket: listening.socket, workspace, version: options.version });
  }

  /** Ends the service. Running turns are recorded as interrupted. */
  shutdown(reason: string): Promise<void> {
    this.#ending ??= this.#end(reason);
    return this.#ending;
  }

  #isIdle(): boolean {
    return this.#connections.size === 0 && this.#actors.size === 0 && this.#table.unsettled === 0;
  }

  /** Work or connections have come or gone. */
  #changed(): void {
    this.#idle.check();
    this.#rest.check();
  }

  #accept(socket: Socket): void {
    if (this.#isEnding || this.#sockets.size >= MAX_SOCKETS) {
      socket.destroy();
      return;
    }
    this.#sockets.add(socket);
    socket.on('close', () => this.#sockets.delete(socket));
    awaitHello(socket, this.#options.clock, (line, rest) => this.#greet(socket, line, rest));
  }

  #greet(socket: Socket, line: Uint8Array, rest: Uint8Array): void {
    const greeting = this.#isEnding ? 'refuse' : judgeHello(line, this.#options);
    const say = (status: Parameters<typeof replyLine>[1]): string => replyLine(this.#options, status);
    switch (greeting) {
      case 'refuse':
        socket.destroy();
        return;
      case 'incompatible':
        this.#dismiss(socket, say('incompatible'));
        return;
      case 'status':
        this.#dismiss(socket, say('ready'));
        return;
      case 'stop':
        this.#stop(socket, say);
        return;
      case 'connect':
        this.#connect(socket, say('ready'), rest);
    }
  }

  /** The last word to a socket; it is gone soon after, whether it is read or not. */
  #dismiss(socket: Socket, line: string): void {
    const cancel = this.#options.clock.after(FAREWELL_MS, () => socket.destroy());
    socket.once('close', cancel);
    socket.end(line, () => socket.destroy());
  }

  /** From a successful answer on nothing is accepted any more: whoever comes in between is sent away. */
  #stop(socket: Socket, say: (status: 'busy' | 'stopped') => string): void {
    if (!this.#isIdle()) {
      this.#dismiss(socket, say('busy'));
      return;
    }
    this.#isEnding = true;
    socket.once('close', () => void this.shutdown('stopped'));
    this.#dismiss(socket, say('stopped'));
  }

  #connect(socket: Socket, greeting: string, rest: Uint8Array): void {
    if (this.#connections.size >= LIMITS.max_connections) {
      this.#dismiss(socket, greeting);
      return;
    }
    socket.write(greeting);
    const host = {
      record: (connection: Connection, line: Uint8Array) => this.#dispatcher.take(connection, line),
      closed: (connection: Connection) => {
        this.#connections.delete(connection);
        this.#actors.disconnect(connection);
        this.#auth.disconnect(connection);
        this.#changed();
      },
    };
    const connection = new Connection(socket, host, this.#options.clock);
    this.#connections.add(connection);
    this.#changed();
    connection.start(rest);
  }

  async #end(reason: string): Promise<void> {
    const { clock, log } = this.#options;
    this.#isEnding = true;
    this.#idle.close();
    this.#rest.close();
    await within(clock, INTERRUPT_MS, Promise.all([this.#turns.interruptAll(), this.#auth.close()]));
    const connections = [...this.#connections];
    await within(clock, FAREWELL_MS, Promise.all(connections.map((connection) => connection.whenWritten())));
    for (const connection of connections) connection.close();
    for (const socket of this.#sockets) socket.destroy();
    await new Promise<void>((resolve) => {
      this.#listening.server.close(() => resolve());
    });
    this.#listening.lock.release();
    log.info('service ended', { reason });
    this.#ended();
  }
}

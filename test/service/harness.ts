/** A real service on a real socket in this process, with an agent that does what the test says. */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AgentEvent, AgentRuntime, ModelInfo, TurnRequest } from '../../src/agent/runtime.ts';
import { endpointPaths } from '../../src/platform/paths.ts';
import { systemClock } from '../../src/service/clock.ts';
import { silentLog } from '../../src/service/log.ts';
import { type Service, type ServiceOptions, startService } from '../../src/service/service.ts';
import { serviceKey } from '../../src/wire/identity.ts';
import { discardFolder, registerKeys } from '../secrets/ledger.ts';

export const VERSION = '9.9.9';
export const MODELS: readonly ModelInfo[] = [
  {
    id: 'm-1',
    label: 'Model One',
    contextWindow: 10_000,
    maxOutputTokens: 1_000,
    thinkingLevels: ['default', 'high'],
  },
  { id: 'm-2', label: 'Model Two', contextWindow: null, maxOutputTokens: null, thinkingLevels: [] },
];

/** One turn of the scripted agent. */
export class ScriptedTurn {
  readonly request: TurnRequest;
  readonly #waiting: ((event: AgentEvent) => void)[] = [];
  readonly #events: AgentEvent[] = [];
  #abort: () => void = () => undefined;
  readonly aborted: Promise<void>;
  /** End as cancelled as soon as it is told to stop. */
  obeys = true;

  constructor(request: TurnRequest) {
    this.request = request;
    this.aborted = new Promise((resolve) => {
      this.#abort = resolve;
    });
  }

  emit(...events: AgentEvent[]): void {
    for (const event of events) {
      const next = this.#waiting.shift();
      if (next === undefined) this.#events.push(event);
      else next(event);
    }
  }

  say(...texts: string[]): void {
    this.emit(...texts.map((text) => ({ type: 'text', text }) as const));
  }

  complete(): void {
    this.emit({ type: 'end', status: 'completed' });
  }

  abort(): void {
    this.#abort();
    if (this.obeys) this.emit({ type: 'end', status: 'cancelled' });
  }

  /** What was said into the turn. */
  readonly steered: string[] = [];
  takesSteers = false;

  steer(text: string): boolean {
    if (this.takesSteers) this.steered.push(text);
    return this.takesSteers;
  }

  async *events(): AsyncGenerator<AgentEvent> {
    for (;;) {
      const ready = this.#events.shift();
      const event = ready ?? (await new Promise<AgentEvent>((resolve) => this.#waiting.push(resolve)));
      yield event;
      if (event.type === 'end') return;
    }
  }
}

export class ScriptedAgent implements AgentRuntime {
  readonly turns: ScriptedTurn[] = [];
  /** What the next turns do by themselves. */
  script: (turn: ScriptedTurn) => void = () => undefined;
  models: () => Promise<readonly ModelInfo[]> = async () => MODELS;

  startTurn(request: TurnRequest) {
    const turn = new ScriptedTurn(request);
    this.turns.push(turn);
    this.script(turn);
    return { events: turn.events(), abort: () => turn.abort(), steer: (text: string) => turn.steer(text) };
  }

  listModels(..._asked: Parameters<AgentRuntime['listModels']>): Promise<readonly ModelInfo[]> {
    return this.models();
  }

  get last(): ScriptedTurn {
    const turn = this.turns.at(-1);
    if (turn === undefined) throw new Error('no turn was started');
    return turn;
  }
}

type Awaitable<T> = T | undefined | false | null | Promise<T | undefined | false | null>;

// biome-ignore lint/suspicious/noExplicitAny: tests look into records of every shape
export type Rec = any;

/** Speaks the wire, and keeps everything that came. */
export class WireClient {
  readonly socket: Socket;
  readonly records: Rec[] = [];
  instanceId: string | null = null;
  connectionId: string | null = null;
  closed = false;
  #buffer = '';
  #count = 0;
  #wakes = 0;
  #watchers: (() => void)[] = [];

  constructor(path: string) {
    this.socket = connect(path);
    this.socket.on('data', (chunk) => this.#take(chunk.toString('utf8')));
    this.socket.on('error', () => undefined);
    this.socket.on('close', () => {
      this.closed = true;
      this.#wake();
    });
  }

  #take(text: string): void {
    const lines = (this.#buffer + text).split('\n');
    this.#buffer = lines.pop() ?? '';
    for (const line of lines) this.records.push(JSON.parse(line));
    this.#wake();
  }

  #wake(): void {
    this.#wakes += 1;
    for (const watcher of this.#watchers.splice(0)) watcher();
  }

  raw(text: string | Buffer): void {
    this.socket.write(text);
  }

  send(record: unknown): void {
    this.raw(`${JSON.stringify(record)}\n`);
  }

  async until<T>(look: () => Awaitable<T>): Promise<T> {
    for (;;) {
      const seen = this.#wakes;
      const found = await look();
      if (found) return found;
      if (this.closed) throw new Error(`closed; got ${JSON.stringify(this.records.slice(-3))}`);
      if (seen === this.#wakes) await new Promise<void>((resolve) => this.#watchers.push(resolve));
    }
  }

  async untilClosed(): Promise<void> {
    while (!this.closed) await new Promise<void>((resolve) => this.#watchers.push(resolve));
  }

  envelope(method: string, payload: unknown, slots: Record<string, unknown> = {}): Rec {
    this.#count += 1;
    return {
      protocol_version: 2,
      kind: 'request',
      request_id: `r${this.#count}`,
      instance_id: this.instanceId,
      connection_id: this.connectionId,
      session_id: null,
      operation_id: null,
      control: null,
      method,
      payload,
      ...slots,
    };
  }

  /** Sends a request and waits for its response. */
  async ask(method: string, payload: unknown = {}, slots: Record<string, unknown> = {}): Promise<Rec> {
    const envelope = this.envelope(method, payload, slots);
    this.send(envelope);
    return this.response(envelope.request_id);
  }

  response(requestId: string): Promise<Rec> {
    return this.until(() => this.records.find((r) => r.kind === 'response' && r.request_id === requestId));
  }

  /** Payload of the first event of that name that fits. */
  event(name: string, fits: (payload: Rec) => boolean = () => true): Promise<Rec> {
    return this.until(() => this.records.find((r) => r.event === name && fits(r.payload)));
  }

  get events(): Rec[] {
    return this.records.filter((r) => r.kind === 'event');
  }

  async initialize(requested_capabilities?: readonly string[]): Promise<Rec> {
    const payload = { supported_protocol_versions: [2], requested_capabilities };
    const response = await this.ask('initialize', payload);
    this.instanceId = response.instance_id;
    this.connectionId = response.connection_id;
    return response;
  }
}

export interface World {
  readonly workspace: string;
  readonly stateRoot: string;
  readonly settingsFile: string;
  readonly agent: ScriptedAgent;
  readonly service: Service;
  hello(action: string, change?: Record<string, unknown>): WireClient;
  /** Connected and initialized. */
  client(): Promise<WireClient>;
  /** The same, with the session profile. */
  profileClient(): Promise<WireClient>;
  close(): Promise<void>;
}

export type WorldOptions = Partial<Omit<ServiceOptions, 'runtime'>> & { agent?: ScriptedAgent };

export async function startWorld(options: WorldOptions = {}): Promise<World> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'mt-service-')));
  const workspace = options.workspace ?? realpathSync(mkdtempSync(join(tmpdir(), 'mt-folder-')));
  const stateRoot = options.stateRoot ?? root;
  const settingsFile = options.settingsFile ?? join(root, 'settings.json');
  const agent = options.agent ?? new ScriptedAgent();
  registerKeys(options.env ?? {});
  const started = await startService({
    version: VERSION,
    env: { MAGI_TERM_PROVIDER: 'demo' },
    discover: async () => [],
    timing: { idleShutdownMs: 60_000, startupGraceMs: 10_000 },
    clock: systemClock,
    log: silentLog,
    ...options,
    runtime: agent,
    workspace,
    stateRoot,
    settingsFile,
  });
  if (!started.ok) throw new Error(started.reason);
  const { service } = started;
  const clients: WireClient[] = [];
  const hello = (action: string, change: Record<string, unknown> = {}): WireClient => {
    const client = new WireClient(service.socket);
    clients.push(client);
    client.send({ version: VERSION, workspace, state_root: stateRoot, action, ...change });
    return client;
  };
  return {
    workspace,
    stateRoot,
    settingsFile,
    agent,
    service,
    hello,
    client: async () => {
      const client = hello('connect');
      await client.initialize();
      return client;
    },
    profileClient: async () => {
      const client = hello('connect');
      await client.initialize(['session_protocol_v2']);
      return client;
    },
    close: async () => {
      for (const client of clients) client.socket.destroy();
      await service.shutdown('test');
      rmSync(endpointPaths(serviceKey(workspace, stateRoot)).lock, { force: true });
      for (const path of [root, workspace]) discardFolder(path);
    },
  };
}

let operations = 0;
/** A fresh operation ID. */
export function op(): string {
  operations += 1;
  return `op-${operations}`;
}

export interface Held {
  readonly session: string;
  readonly control: { grant_id: string; generation: number };
  readonly claim: Rec;
}

export async function createSession(client: WireClient): Promise<string> {
  return (await client.ask('session.create', {}, { operation_id: op() })).payload.session_id;
}

export async function claim(client: WireClient, session: string): Promise<Held> {
  const { payload } = await client.ask('session.claim', {}, { operation_id: op(), session_id: session });
  return { session, control: { grant_id: payload.grant_id, generation: payload.generation }, claim: payload };
}

export async function hold(client: WireClient): Promise<Held> {
  return claim(client, await createSession(client));
}

export function start(client: WireClient, held: Held, prompt: string, operation_id = op()): Promise<Rec> {
  return client.ask(
    'turn.start',
    { prompt },
    { operation_id, session_id: held.session, control: held.control },
  );
}

export async function replay(client: WireClient, session: string, page: object = {}): Promise<Rec> {
  return (await client.ask('session.replay', page, { session_id: session })).payload;
}

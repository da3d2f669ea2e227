/**
 * A service with one session that does what a test says, when it says so: events one by one, silence, refusals, a
 * link that ends and comes back (PROTOCOL.md, "Sessions", "Claim", "Turns", "Recovery"). It tells its history by
 * ordinary replay.
 */
import { pathId } from '../../src/wire/identity.ts';
import type { ServiceIdentity } from '../../src/wire/preflight.ts';
import { responseTo, SCRIPTED_IDS, type ScriptedPeer, ScriptedService } from './scripted-service.ts';
import { isHello, type JsonObject, objectOf, readTrace, TRACE_VERSION } from './traces.ts';

export const STAGED_SESSION = 'staged-session';

/** Answers in place of the service; `ordinary` leaves it to the service. */
export type Answer = (request: JsonObject, peer: ScriptedPeer) => 'answered' | 'ordinary';

export interface StagedOptions {
  readonly identity: ServiceIdentity;
  /** By method. */
  readonly answers?: Readonly<Record<string, Answer>>;
  /** What was said before. */
  readonly past?: readonly JsonObject[];
  /** Items on one page of the history. */
  readonly pageItems?: number;
}

interface StagedTurn {
  readonly id: string;
  readonly operationId: string;
  readonly prompt: string;
  text: string;
  sequence: number;
}

export class StagedService {
  readonly #options: StagedOptions;
  #service: ScriptedService | null = null;
  #controller: ScriptedPeer | null = null;
  #generation = 0;
  #live = 0;
  #turns = 0;
  #turn: StagedTurn | null = null;
  #terminal: JsonObject | null = null;
  readonly #operations = new Map<string, StagedTurn>();
  /** Every request, oldest first. */
  readonly requests: JsonObject[] = [];
  /** What replay tells; a test may add to it. */
  readonly past: JsonObject[];

  private constructor(options: StagedOptions) {
    this.#options = options;
    this.past = [...(options.past ?? [])];
  }

  static async start(options: StagedOptions): Promise<StagedService> {
    const staged = new StagedService(options);
    staged.#service = await ScriptedService.start((peer) => staged.#serve(peer));
    return staged;
  }

  get socket(): string {
    return this.#scripted.socket;
  }

  /** Failures of the scripts; a test should find none. */
  get errors(): readonly unknown[] {
    return this.#scripted.errors;
  }

  /** The requests of one method, oldest first. */
  asked(method: string): readonly JsonObject[] {
    return this.requests.filter((request) => request.method === method);
  }

  /** The prompts that were accepted. */
  get prompts(): readonly string[] {
    return [...this.#operations.values()].map(({ prompt }) => prompt);
  }

  /** Ends every link, and takes no new one. */
  hangUp(): Promise<void> {
    this.#controller = null;
    return this.#scripted.stopListening();
  }

  listen(): Promise<void> {
    return this.#scripted.listen();
  }

  async stop(): Promise<void> {
    await this.#scripted.stop();
  }

  delta(text: string): void {
    const turn = this.#running();
    turn.text += text;
    this.#tell('turn.assistant_delta', { sequence: this.#next(turn), text });
  }

  activity(activity: JsonObject): void {
    this.#tell('turn.activity', { sequence: this.#next(this.#running()), activity });
  }

  /** Ends the running turn; what was said joins the past. @param error code and message of a failure @param more other members of the ending */
  finish(error: JsonObject | null = null, more: JsonObject = {}): void {
    const turn = this.#running();
    const status = error === null ? 'completed' : 'failed';
    this.#terminal = {
      turn_id: turn.id,
      session_id: STAGED_SESSION,
      status,
      assistant_text: turn.text,
      sequence: this.#next(turn),
      activity_dropped: 0,
      activity_replay_available: false,
      replay_required: true,
      persistence: 'committed',
      error,
      ...more,
    };
    this.past.push(message('user', turn.prompt), message('assistant', turn.text), ended(status));
    this.#tell('turn.terminal', this.#terminal);
    this.#turn = null;
  }

  /** A turn that somebody else began. */
  beginTurn(prompt: string, operationId: string): void {
    this.#turns += 1;
    this.#terminal = null;
    this.#turn = { id: `turn-${this.#turns}`, operationId, prompt, text: '', sequence: 0 };
  }

  /** Accepts a message without a word. */
  accept(request: JsonObject): void {
    const operationId = String(request.operation_id);
    this.beginTurn(String(objectOf(request.payload).prompt), operationId);
    this.#operations.set(operationId, this.#running());
  }

  /** A raw record of the service, to whoever has control. */
  bytes(bytes: Buffer | string): void {
    this.#controller?.sendBytes(bytes);
  }

  /** The bytes of an event of the running turn, as it would be sent next. */
  eventOf(event: string, payload: JsonObject): JsonObject {
    this.#live += 1;
    const { id, operationId } = this.#running();
    return {
      protocol_version: 2,
      kind: 'event',
      ...SCRIPTED_IDS,
      event_id: `event-${this.#live}`,
      session_id: STAGED_SESSION,
      operation_id: operationId,
      grant_generation: this.#generation,
      live_sequence: this.#live,
      event,
      payload: { turn_id: id, ...payload },
    };
  }

  /** A delta as a record that was not sent yet. */
  deltaRecord(text: string): JsonObject {
    const turn = this.#running();
    turn.text += text;
    return this.eventOf('turn.assistant_delta', { sequence: this.#next(turn), text });
  }

  /** What `status` says: somebody can answer. */
  status(): JsonObject {
    const { instance_id = null, state_root_id = null, workspace_id = null } = this.#initialized();
    return { ...recorded('01', 'status'), instance_id, workspace_id, state_root_id };
  }

  get #scripted(): ScriptedService {
    if (this.#service === null) throw new Error('not started');
    return this.#service;
  }

  #running(): StagedTurn {
    if (this.#turn === null) throw new Error('no turn runs');
    return this.#turn;
  }

  #next(turn: StagedTurn): number {
    turn.sequence += 1;
    return turn.sequence;
  }

  #tell(event: string, payload: JsonObject): void {
    const record = this.eventOf(event, payload);
    this.#controller?.send(record);
  }

  async #serve(peer: ScriptedPeer): Promise<void> {
    const { workspace, stateRoot } = this.#options.identity;
    const hello = await peer.read();
    const status = hello.version === TRACE_VERSION ? 'ready' : 'incompatible';
    peer.send({ version: TRACE_VERSION, workspace, state_root: stateRoot, status });
    if (status === 'incompatible' || hello.action !== 'connect') return;
    peer.answer(await peer.expect('initialize'), this.#initialized());
    while (true) {
      const request = await peer.read();
      this.requests.push(request);
      const answer = this.#options.answers?.[String(request.method)];
      if (answer === undefined || answer(request, peer) === 'ordinary') this.#answer(peer, request);
    }
  }

  #initialized(): JsonObject {
    const { workspace, stateRoot } = this.#options.identity;
    return {
      ...recorded('01', 'initialize'),
      ...SCRIPTED_IDS,
      workspace_id: pathId(workspace),
      state_root_id: pathId(stateRoot),
    };
  }

  #answer(peer: ScriptedPeer, request: JsonObject): void {
    switch (request.method) {
      case 'status':
        peer.answer(request, this.status());
        return;
      case 'config.get':
        peer.answer(request, recorded('12', 'config.get'));
        return;
      case 'session.create':
        peer.answer(request, { session_id: STAGED_SESSION });
        return;
      case 'session.list':
        peer.answer(request, listed('Staged'));
        return;
      case 'session.claim':
        this.#claim(peer, request);
        return;
      case 'session.detach':
        this.#controller = null;
        peer.answer(request, { status: 'detached' });
        return;
      case 'session.replay':
        peer.answer(request, this.pageAfter(objectOf(request.payload).after ?? null));
        return;
      case 'operation.lookup':
        peer.answer(request, this.#fate(objectOf(request.payload)));
        return;
      case 'turn.start':
        this.accept(request);
        peer.send(responseTo(request, { turn_id: this.#running().id, status: 'accepted' }));
        this.#tell('turn.started', { session_id: STAGED_SESSION, status: 'started', sequence: 0 });
        return;
      case 'turn.cancel':
        peer.answer(request, {
          turn_id: this.#running().id,
          session_id: STAGED_SESSION,
          status: 'cancellation_requested',
        });
        return;
      default:
        peer.refuse(request, 'unsupported_operation');
    }
  }

  #claim(peer: ScriptedPeer, request: JsonObject): void {
    this.#generation += 1;
    this.#controller = peer;
    const turn = this.#turn;
    const { operationId = '' } = [...this.#operations.values()].at(-1) ?? {};
    const snapshot = {
      instance_id: SCRIPTED_IDS.instance_id,
      session_id: STAGED_SESSION,
      live_sequence: this.#live,
      phase: turn === null ? 'idle' : 'running',
      turn:
        turn === null
          ? null
          : {
              turn_id: turn.id,
              operation_id: turn.operationId,
              assistant_text: turn.text,
              sequence: turn.sequence,
              activity_dropped: 0,
              replay_required: false,
            },
      terminal:
        turn !== null || this.#terminal === null ? null : { ...this.#terminal, operation_id: operationId },
      activity_replay_available: false,
    };
    peer.answer(request, { grant_id: `grant-${this.#generation}`, generation: this.#generation, snapshot });
  }

  /** The page of the history behind a cursor. */
  pageAfter(after: unknown): JsonObject {
    const cursors = this.past.map((_event, index) => `c${index + 1}`);
    const from = after === null ? 0 : cursors.indexOf(String(after)) + 1;
    const until = Math.min(this.past.length, from + (this.#options.pageItems ?? 32));
    const events = this.past
      .slice(from, until)
      .map((event, index) => ({ cursor: `c${from + index + 1}`, ...event }));
    return {
      events,
      next_cursor: cursors[until - 1] ?? 'c0',
      snapshot_cursor: cursors.at(-1) ?? 'c0',
      truncated: until < this.past.length,
      gap: false,
      resync_required: false,
    };
  }

  #fate({ operation_id, target_instance_id }: JsonObject): JsonObject {
    const turn = this.#operations.get(String(operation_id));
    const about = {
      target_instance_id: target_instance_id ?? null,
      operation_id: operation_id ?? null,
      error: null,
    };
    if (turn === undefined)
      return { ...about, state: 'unknown', method: null, session_id: null, result: null };
    const head = { ...about, method: 'turn.start', session_id: STAGED_SESSION };
    if (turn === this.#turn) return { ...head, state: 'accepted', result: { turn_id: turn.id } };
    const result = { turn_id: turn.id, status: 'completed', persistence: 'committed' };
    return { ...head, state: 'terminal', result };
  }
}

/** A whole message of the history. */
export function message(role: 'user' | 'assistant', text: string): JsonObject {
  return { kind: 'message', role, text, part: 0, last_part: true };
}

/** The end of a turn in the history. */
export function ended(status = 'completed'): JsonObject {
  return { kind: 'terminal', status };
}

/** A list of one session. */
export function listed(title: string): JsonObject {
  const session = {
    session_id: STAGED_SESSION,
    title,
    updated_at: '2031-03-04T05:06:07Z',
    ownership_hint: 'unowned',
  };
  return { sessions: [session], next_after: null, truncated: false, incomplete: false };
}

/** A successful payload of a recording. */
function recorded(trace: string, method: string): JsonObject {
  const name = trace === '01' ? '01-handshake-initialize-status' : '12-config-and-catalog';
  const line = readTrace(name).find(
    ({ dir, record }) =>
      dir === 's2c' && !isHello(record) && record.method === method && record.error === null,
  );
  return objectOf(line?.record.payload);
}

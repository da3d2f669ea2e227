/**
 * A service whose model is faster than its connections: it drops a healthy client as soon as so many events have
 * gone to it, while the turn goes on. The next connection finds the turn in the snapshot (PROTOCOL.md, "Recovery").
 */
import { pathId } from '../../src/wire/identity.ts';
import type { ServiceIdentity } from '../../src/wire/preflight.ts';
import { responseTo, SCRIPTED_IDS, type ScriptedPeer, ScriptedService } from './scripted-service.ts';
import { isHello, type JsonObject, objectOf, readTrace, TRACE_VERSION } from './traces.ts';

export const FAST_SESSION = 'fast-session';
const TURN = 'fast-turn';

export interface FastOptions {
  readonly identity: ServiceIdentity;
  /** Deltas of the turn. */
  readonly deltas: number;
  /** Between two deltas, ms. */
  readonly everyMs: number;
  /** A connection ends after so many events of the turn. */
  readonly dropAfter: number;
}

/** The text of one delta. */
export const wordOf = (index: number): string => `w${index}${index % 12 === 11 ? '\n\n' : ' '}`;

export class FastService {
  readonly #options: FastOptions;
  #service: ScriptedService | null = null;
  #controller: { readonly peer: ScriptedPeer; delivered: number } | null = null;
  #generation = 0;
  #live = 0;
  #turn: { readonly operationId: string; readonly prompt: string; text: string; sequence: number } | null =
    null;
  #timer: NodeJS.Timeout | null = null;
  #terminal: JsonObject | null = null;
  #settledOperation = '';
  /** How often a connection was dropped in mid-turn. */
  drops = 0;
  /** Every prompt that was accepted. */
  readonly prompts: string[] = [];
  /** When a drop happened, and when the next claim was answered; performance.now(), ms. */
  readonly recoveries: { readonly droppedAt: number; claimedAt: number | null }[] = [];

  private constructor(options: FastOptions) {
    this.#options = options;
  }

  static async start(options: FastOptions): Promise<FastService> {
    const fast = new FastService(options);
    fast.#service = await ScriptedService.start((peer) => fast.#serve(peer));
    return fast;
  }

  /** What a client needs to come here. */
  get options() {
    if (this.#service === null) throw new Error('not started');
    return { ...this.#service.options, identity: this.#options.identity };
  }

  /** Whether the turn has ended. */
  get isDone(): boolean {
    return this.#terminal !== null;
  }

  /** Failures of the scripts; a test should find none. */
  get errors(): readonly unknown[] {
    return this.#service?.errors ?? [];
  }

  async stop(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer);
    await this.#service?.stop();
  }

  async #serve(peer: ScriptedPeer): Promise<void> {
    const { workspace, stateRoot } = this.#options.identity;
    const hello = await peer.read();
    const status = hello.version === TRACE_VERSION ? 'ready' : 'incompatible';
    peer.send({ version: TRACE_VERSION, workspace, state_root: stateRoot, status });
    if (status === 'incompatible' || hello.action !== 'connect') return;
    peer.answer(await peer.expect('initialize'), this.#initialized());
    while (true) this.#answer(peer, await peer.read());
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
      case 'status': {
        const { instance_id, workspace_id, state_root_id } = this.#initialized();
        peer.answer(request, { ...recorded('01', 'status'), instance_id, workspace_id, state_root_id });
        return;
      }
      case 'config.get':
        peer.answer(request, recorded('12', 'config.get'));
        return;
      case 'session.create':
        peer.answer(request, { session_id: FAST_SESSION });
        return;
      case 'session.claim':
        this.#claim(peer, request);
        return;
      case 'session.detach':
        this.#controller = null;
        peer.answer(request, { status: 'detached' });
        return;
      case 'session.replay':
        peer.answer(request, this.#page());
        return;
      case 'turn.start':
        this.#start(peer, request);
        return;
      case 'turn.cancel':
        peer.answer(request, { turn_id: TURN, session_id: FAST_SESSION, status: 'cancellation_requested' });
        this.#finish('cancelled');
        return;
      default:
        peer.refuse(request, 'unsupported_operation');
    }
  }

  #claim(peer: ScriptedPeer, request: JsonObject): void {
    this.#generation += 1;
    this.#controller = { peer, delivered: 0 };
    const running = this.#turn !== null && this.#terminal === null;
    const turn = running ? this.#snapshotTurn() : null;
    const snapshot = {
      instance_id: SCRIPTED_IDS.instance_id,
      session_id: FAST_SESSION,
      live_sequence: this.#live,
      phase: running ? 'running' : 'idle',
      turn,
      terminal: this.#terminal === null ? null : { ...this.#terminal, operation_id: this.#settledOperation },
      activity_replay_available: false,
    };
    peer.answer(request, { grant_id: `grant-${this.#generation}`, generation: this.#generation, snapshot });
    const last = this.recoveries.at(-1);
    if (last !== undefined) last.claimedAt ??= performance.now();
  }

  #snapshotTurn(): JsonObject | null {
    if (this.#turn === null) return null;
    const { operationId, text, sequence } = this.#turn;
    return {
      turn_id: TURN,
      operation_id: operationId,
      assistant_text: text,
      sequence,
      activity_dropped: 0,
      replay_required: false,
    };
  }

  #start(peer: ScriptedPeer, request: JsonObject): void {
    const prompt = String(objectOf(request.payload).prompt);
    this.prompts.push(prompt);
    this.#terminal = null;
    this.#turn = { operationId: String(request.operation_id), prompt, text: '', sequence: 0 };
    peer.send(responseTo(request, { turn_id: TURN, status: 'accepted' }));
    this.#tell('turn.started', { session_id: FAST_SESSION, status: 'started', sequence: 0 });
    let index = 0;
    this.#timer = setInterval(() => {
      if (index < this.#options.deltas) this.#delta(wordOf(index));
      else this.#finish('completed');
      index += 1;
    }, this.#options.everyMs);
  }

  #delta(text: string): void {
    if (this.#turn === null) return;
    this.#turn.text += text;
    this.#turn.sequence += 1;
    this.#tell('turn.assistant_delta', { sequence: this.#turn.sequence, text });
  }

  #finish(status: 'completed' | 'cancelled'): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    const turn = this.#turn;
    if (turn === null || this.#terminal !== null) return;
    turn.sequence += 1;
    const payload = {
      turn_id: TURN,
      session_id: FAST_SESSION,
      status,
      assistant_text: turn.text,
      sequence: turn.sequence,
      activity_dropped: 0,
      activity_replay_available: false,
      replay_required: true,
      persistence: 'committed',
      error: null,
    };
    this.#settledOperation = turn.operationId;
    this.#terminal = payload;
    this.#tell('turn.terminal', payload);
  }

  /** One event to the controller, if there is one; it is dropped once it has had its fill. */
  #tell(event: string, payload: JsonObject): void {
    this.#live += 1;
    const controller = this.#controller;
    if (controller === null || this.#turn === null) return;
    controller.peer.send({
      protocol_version: 2,
      kind: 'event',
      ...SCRIPTED_IDS,
      event_id: `event-${this.#live}`,
      session_id: FAST_SESSION,
      operation_id: this.#turn.operationId,
      grant_generation: this.#generation,
      live_sequence: this.#live,
      event,
      payload: { turn_id: TURN, ...payload },
    });
    controller.delivered += 1;
    if (controller.delivered < this.#options.dropAfter || this.#terminal !== null) return;
    this.#controller = null;
    this.#generation += 1;
    this.drops += 1;
    this.recoveries.push({ droppedAt: performance.now(), claimedAt: null });
    controller.peer.close();
  }

  #page(): JsonObject {
    const events = this.#terminal === null || this.#turn === null ? [] : this.#saved(this.#turn);
    const cursor = events.length === 0 ? 'c0' : 'c-end';
    const flags = { truncated: false, gap: false, resync_required: false };
    return { events, next_cursor: cursor, snapshot_cursor: cursor, ...flags };
  }

  #saved({ prompt, text }: { readonly prompt: string; readonly text: string }): JsonObject[] {
    const parts = text.match(/[\s\S]{1,2000}/g) ?? [];
    return [
      { cursor: 'c-user', kind: 'message', role: 'user', text: prompt, part: 0, last_part: true },
      ...parts.map((part, index) => ({
        cursor: `c-part-${index}`,
        kind: 'message',
        role: 'assistant',
        text: part,
        part: index,
        last_part: index === parts.length - 1,
      })),
      { cursor: 'c-end', kind: 'terminal', status: String(this.#terminal?.status) },
    ];
  }
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

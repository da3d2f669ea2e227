/**
 * Turns of all sessions, from acceptance to terminal (PROTOCOL.md, "Turns").
 * Invariants: acceptance is recorded before anything is sent; the terminal comes after the last word is on
 * the disk, and the session is idle when it does; losing the controller never ends a turn.
 */
import type { AgentRuntime, ProviderSpec, ToolPolicy } from '../agent/runtime.ts';
import { envelopeId } from '../transcript/envelope.ts';
import { errorOf } from '../wire/errors.ts';
import type { ActiveTurn, Actor } from './actor.ts';
import type { Actors } from './actors.ts';
import type { Clock } from './clock.ts';
import { historyOf } from './history.ts';
import type { Log } from './log.ts';
import type { Operation } from './operation-table.ts';
import type { SessionFolder } from './session-folder.ts';
import { readWindow } from './session-window.ts';
import { type TurnEnding, TurnRecord } from './turn-record.ts';
import { TurnRun } from './turn-run.ts';

/** What a turn works with, read from the settings when it is accepted and kept until it ends. */
export interface Capture {
  readonly provider: ProviderSpec;
  readonly modelId: string;
  readonly thinkingLevel: string;
  readonly policy: ToolPolicy;
  /** Tokens, null when unknown. */
  readonly window: number | null;
}

export interface TurnsOptions {
  readonly actors: Actors;
  readonly folder: SessionFolder;
  readonly runtime: AgentRuntime;
  readonly workspace: string;
  readonly clock: Clock;
  readonly log: Log;
}

interface Job {
  readonly actor: Actor;
  readonly turn: ActiveTurn;
  readonly record: TurnRecord;
  readonly prompt: string;
  readonly capture: Capture;
}

const NOT_SAVED: TurnEnding = { status: 'failed', code: 'persistence_failed', usage: null };
const NOT_BEGUN: TurnEnding = { status: 'failed', code: 'internal_error', usage: null };

export class Turns {
  readonly #options: TurnsOptions;
  readonly #running = new Set<Promise<void>>();

  constructor(options: TurnsOptions) {
    this.#options = options;
  }

  get count(): number {
    return this.#running.size;
  }

  /** Accepts a turn. `launch` is to be called once the response is queued. */
  accept(
    actor: Actor,
    operation: Operation,
    prompt: string,
    capture: Capture,
  ): { turnId: string; launch: () => void } {
    const turnId = envelopeId();
    const turn: ActiveTurn = { turnId, operation, run: null, sequence: 0, activityDropped: 0 };
    actor.phase = 'running';
    actor.terminal = null;
    actor.turn = turn;
    operation.accept({ turn_id: turnId });
    const record = new TurnRecord(actor.writer, this.#options.clock, turnId);
    const launch = (): void => {
      const work = this.#work({ actor, turn, record, prompt, capture });
      this.#running.add(work);
      void work.finally(() => this.#running.delete(work));
    };
    return { turnId, launch };
  }

  /** Ends every running turn as interrupted and waits until they are on the disk. */
  async interruptAll(): Promise<void> {
    for (const actor of this.#options.actors.all()) actor.turn?.run?.interrupt();
    await Promise.all(this.#running);
  }

  async #work(job: Job): Promise<void> {
    const { actor, record, turn } = job;
    const { actors, clock, log } = this.#options;
    const { sessionId: session_id } = actor;
    const { turnId: turn_id } = turn;
    actors.emit(actor, turn, 'turn.started', { turn_id, session_id, status: 'started', sequence: 0 });
    const outcome = await this.#run(job);
    actor.phase = 'persisting';
    const saved = await record.end(outcome);
    actor.phase = 'cleaning';
    const { code, notice, status } = saved ? outcome : NOT_SAVED;
    if (code !== null) log.warn('turn ended', { session: session_id, turn: turn_id, code });
    turn.sequence += 1;
    const payload = {
      turn_id,
      session_id,
      status,
      assistant_text: turn.run?.text ?? '',
      sequence: turn.sequence,
      activity_dropped: turn.activityDropped,
      activity_replay_available: false,
      replay_required: true,
      persistence: saved ? 'committed' : 'failed',
      error: code === null ? null : errorOf(code),
      ...(notice === undefined ? {} : { notice }),
    } as const;
    actor.terminal = { payload: { ...payload, operation_id: turn.operation.id }, settledAt: clock.now() };
    actor.turn = null;
    actor.phase = 'idle';
    turn.operation.finish({ turn_id, status, persistence: payload.persistence }, code);
    actors.emit(actor, turn, 'turn.terminal', payload);
    actors.releaseIdle(actor);
  }

  async #run(job: Job): Promise<TurnEnding> {
    const { record, turn } = job;
    const { log } = this.#options;
    try {
      const run = this.#begin(job);
      if (run === null) return NOT_SAVED;
      turn.run = run;
      return await run.run();
    } catch (error) {
      log.error('the turn could not be run', { turn: turn.turnId, reason: String(error) });
      return record.saved ? NOT_BEGUN : NOT_SAVED;
    }
  }

  /** Null when the prompt could not be saved: then the model is not asked. */
  #begin({ actor, capture, prompt, record, turn }: Job): TurnRun | null {
    const { clock, folder, log, runtime, workspace } = this.#options;
    const { modelId, policy, provider, thinkingLevel, window } = capture;
    const past = readWindow(folder.path(actor.sessionId), actor.sessionId);
    const history = historyOf(past?.envelopes ?? [], window);
    record.begin(prompt);
    if (!record.saved) return null;
    const estimate = history.tokens + Math.ceil(Buffer.byteLength(prompt) / 4);
    const request = { provider, modelId, thinkingLevel, workspace, policy, history: history.items, prompt };
    const agent = runtime.startTurn(request);
    return new TurnRun({ agent, record, sink: this.#sink(actor, turn), clock, log, window, estimate });
  }

  #sink(actor: Actor, turn: ActiveTurn) {
    const { actors } = this.#options;
    const next = (event: 'turn.assistant_delta' | 'turn.activity', content: object): void => {
      turn.sequence += 1;
      const payload = { turn_id: turn.turnId, sequence: turn.sequence, ...content };
      actors.emit(actor, turn, event, payload);
    };
    return {
      delta: (text: string) => next('turn.assistant_delta', { text }),
      activity: (activity: object) => next('turn.activity', { activity }),
    };
  }
}

/**
 * Turns of all sessions, from acceptance to terminal (PROTOCOL.md, "Turns").
 * Invariants: acceptance is recorded before anything is sent; the terminal comes after the last word is on
 * the disk, and the session is idle when it does; losing the controller never ends a turn.
 */
import type { AgentRuntime, Permit, ProviderSpec } from '../../agent/runtime.ts';
import { envelopeId } from '../../transcript/envelope.ts';
import { errorOf } from '../../wire/errors.ts';
import type { Clock } from '../clock.ts';
import type { ActiveTurn, Actor } from '../coordinator/actor.ts';
import type { Actors } from '../coordinator/actors.ts';
import type { Operation } from '../coordinator/operation-table.ts';
import type { Log } from '../log.ts';
import { plainRights, type ToolPolicy } from '../permissions/plain.ts';
import { Questions } from '../permissions/questions.ts';
import type { RuleBook } from '../permissions/rule-book.ts';
import { turnPermit } from '../permissions/turn-permit.ts';
import { modeRights } from '../permissions/words.ts';
import { type AttachmentStore, withNotes } from '../profile/attachment-store.ts';
import type { ToolOutputs } from '../profile/tool-outputs.ts';
import type { SessionFolder } from '../sessions/session-folder.ts';
import { readWindow } from '../sessions/session-window.ts';
import { fileForModel } from './attached-files.ts';
import { type FileForModel, type History, hasSummary, historyOf } from './history.ts';
import { summaryBefore } from './past-summary.ts';
import { type FileEvent, type TurnEnding, TurnRecord } from './turn-record.ts';
import { TurnRun, type TurnSink } from './turn-run.ts';
import type { Delta } from './turn-speech.ts';

/** What a turn works with, read from the settings when it is accepted and kept until it ends. */
export interface Capture {
  readonly provider: ProviderSpec;
  readonly modelId: string;
  readonly thinkingLevel: string;
  readonly fast: boolean;
  readonly policy: ToolPolicy;
  /** Tokens, null when unknown. */
  readonly window: number | null;
  /** To be told when the provider no longer takes the credential. */
  readonly refused?: () => Promise<void>;
}

export interface TurnsOptions {
  readonly actors: Actors;
  readonly folder: SessionFolder;
  readonly runtime: AgentRuntime;
  readonly book: RuleBook;
  readonly attachments: AttachmentStore;
  readonly outputs: ToolOutputs;
  readonly workspace: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** What a turn begins with. */
export interface Opening {
  readonly prompt: string;
  readonly files: readonly FileEvent[];
  readonly capture: Capture;
  /** Started by a connection with the session profile. */
  readonly profile: boolean;
}

interface Job {
  readonly actor: Actor;
  readonly turn: ActiveTurn;
  readonly record: TurnRecord;
  readonly opening: Opening;
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
  accept(actor: Actor, operation: Operation, opening: Opening): { turnId: string; launch: () => void } {
    const { clock } = this.#options;
    const { profile } = opening;
    const turnId = envelopeId();
    const record = new TurnRecord(actor.writer, clock, turnId);
    const questions = new Questions(record, clock);
    const position = { run: null, sequence: 0, activityDropped: 0 };
    const turn: ActiveTurn = { turnId, operation, profile, questions, ...position };
    actor.phase = 'running';
    actor.terminal = null;
    actor.turn = turn;
    operation.accept({ turn_id: turnId });
    const launch = (): void => {
      const work = this.#work({ actor, turn, record, opening });
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
    turn.questions.close();
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
      ...(turn.run?.isLong === true ? { text_in_envelopes: true as const } : {}),
    } as const;
    actor.terminal = { payload: { ...payload, operation_id: turn.operation.id }, settledAt: clock.elapsed() };
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
      const ending = await run.run();
      if (ending.isRefused === true) await job.opening.capture.refused?.();
      return ending;
    } catch (error) {
      log.error('the turn could not be run', { turn: turn.turnId, reason: String(error) });
      return record.saved ? NOT_BEGUN : NOT_SAVED;
    }
  }

  /** Null when the prompt could not be saved: then the model is not asked. */
  #begin({ actor, opening, record, turn }: Job): TurnRun | null {
    const { attachments, clock, log, outputs, runtime, workspace } = this.#options;
    const { capture, files, profile, prompt: said } = opening;
    const { fast, modelId, policy, provider, thinkingLevel, window } = capture;
    const history = this.#history(actor);
    record.begin(said, files);
    if (!record.saved) return null;
    const forModel = files.map((file) => fileForModel(file, attachments));
    const prompt = withNotes(
      said,
      forModel.map(({ note }) => note),
    );
    const images = forModel.map(({ image }) => image).filter((image) => image !== null);
    const estimate = history.tokens + Math.ceil(Buffer.byteLength(prompt) / 4);
    const { permissionMode, sandbox } = actor.configuration;
    const agent = runtime.startTurn({
      provider,
      modelId,
      thinkingLevel,
      fast,
      workspace,
      permit: this.#permit(actor, turn),
      sandbox: profile && sandbox,
      keepOutput: (call) => outputs.keeper(actor.sessionId, call),
      rights: profile ? modeRights(permissionMode) : plainRights(policy),
      history: history.items,
      prompt,
      images,
    });
    return new TurnRun({
      agent,
      record,
      sink: this.#sink(actor, turn),
      clock,
      log,
      window,
      estimate,
      mayBeLong: () => profile && actor.controller?.recipient.profile !== false,
      keepOutput: (call, output) => outputs.keep(actor.sessionId, call, output),
    });
  }

  /** From the newest summary on, wherever it stands in the file. */
  #history({ sessionId }: Actor): History {
    const { attachments, folder } = this.#options;
    const path = folder.path(sessionId);
    const window = readWindow(path, sessionId);
    const envelopes = window?.envelopes ?? [];
    const before = window === null || hasSummary(envelopes) ? null : summaryBefore(path, window.start);
    const about = (file: FileEvent): FileForModel => fileForModel(file, attachments);
    return historyOf(envelopes, { about, before });
  }

  /** What the session chose holds for clients that can know about it. */
  #permit(actor: Actor, turn: ActiveTurn): Permit {
    const { attachments, book } = this.#options;
    return turnPermit({
      book,
      questions: turn.questions,
      mode: () => (turn.profile ? actor.configuration.permissionMode : 'default'),
      canAsk: () => actor.controller?.recipient.profile === true,
      isOffered: (path) => attachments.isStored(path),
      beginningOf: async (call) => turn.run?.beginningOf(call),
    });
  }

  #sink(actor: Actor, turn: ActiveTurn): TurnSink {
    const { actors } = this.#options;
    const next = (event: 'turn.assistant_delta' | 'turn.activity', content: object): void => {
      turn.sequence += 1;
      const payload = { turn_id: turn.turnId, sequence: turn.sequence, ...content };
      actors.emit(actor, turn, event, payload);
    };
    const knowsEnvelopes = (): boolean => actor.controller?.recipient.profile === true;
    return {
      delta: (delta) => {
        const isAnswer = !delta.thinking && delta.subagent === undefined;
        if (knowsEnvelopes()) next('turn.assistant_delta', fullDelta(delta));
        else if (isAnswer) next('turn.assistant_delta', { text: delta.text });
      },
      separator: (text) => {
        if (!knowsEnvelopes()) next('turn.assistant_delta', { text });
      },
      activity: (activity) => next('turn.activity', { activity }),
      // Envelopes are never left out: rather the turn waits for its reader, as long as there is one.
      ready: () => (knowsEnvelopes() ? (actor.controller?.recipient.whenRoomy() ?? null) : null),
    };
  }
}

function fullDelta({ envelopeId: envelope_id, subagent, text, thinking }: Delta): object {
  const voice = { ...(thinking ? { thinking } : {}), ...(subagent === undefined ? {} : { subagent }) };
  return { text, envelope_id, ...voice };
}

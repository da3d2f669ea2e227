import { createEventQueue } from './event-queue.ts';
import { TurnFailure } from './failure.ts';
import type { AgentEvent, AgentTurn } from './runtime.ts';
import { createSteerBox, type SteerBox } from './steer-box.ts';

/** Events that a running turn may send; only this file sends `end`. */
export type LiveEvent = Exclude<AgentEvent, { type: 'end' }>;

/** What a running turn is given to work with. */
export interface TurnIo {
  emit(event: LiveEvent): void;
  /** Aborted when the turn must stop. */
  readonly signal: AbortSignal;
  /** What the user says meanwhile. */
  readonly steers: SteerBox;
}

/** Runs a turn to its end: resolves when the answer is complete, rejects when it failed. */
export type TurnRunner = (io: TurnIo) => Promise<void>;

/** A turn that does not stop by itself this long after an abort is given up, in ms. Longer than a tool's kill grace. */
const ABORT_GRACE_MS = 4000;

/**
 * Starts a turn. Invariants: `end` comes last and exactly once; after an abort it is `cancelled`;
 * nothing is accepted for the model once the turn is ending;
 * nothing that the runner throws leaves this function.
 */
export function startTurn(run: TurnRunner): AgentTurn {
  const controller = new AbortController();
  const queue = createEventQueue({ onAbandoned: () => controller.abort() });
  const steers = createSteerBox((text) => queue.push({ type: 'steer-taken', text }));
  const { signal } = controller;
  let graceTimer: NodeJS.Timeout | null = null;

  const finish = (failure: FailedEnd | null): void => {
    if (graceTimer !== null) clearTimeout(graceTimer);
    steers.close();
    if (signal.aborted) queue.push({ type: 'end', status: 'cancelled' });
    else if (failure !== null) queue.push(failure);
    else queue.push({ type: 'end', status: 'completed' });
  };
  signal.addEventListener('abort', () => {
    steers.close();
    graceTimer = setTimeout(() => finish(null), ABORT_GRACE_MS);
  });

  void (async () => {
    try {
      await run({ emit: queue.push, signal, steers });
      finish(null);
    } catch (error) {
      finish(failedEnd(error));
    }
  })();
  return { events: queue.events, abort: () => controller.abort(), steer: steers.put };
}

type FailedEnd = Extract<AgentEvent, { status: 'failed' }>;

function failedEnd(error: unknown): FailedEnd {
  const end = { type: 'end', status: 'failed', message: messageOf(error) } as const;
  if (!(error instanceof TurnFailure)) return end;
  return { ...end, notice: error.notice, ...(error.isRefused ? { refused: true } : {}) };
}

/** The text of anything thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

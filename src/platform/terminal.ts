/**
 * The terminal is given back as it was found, however the program ends.
 *
 * Invariants:
 * - every mode set through the guard (or adopted by it) is reset exactly once before the process ends: by a way out,
 *   a signal, a fault or a hang-up; only SIGKILL and SIGSTOP escape it;
 * - resetting is synchronous and never throws: the terminal may be gone;
 * - the reason is written after the normal screen is back;
 * - after a hang-up nothing is tried twice.
 */
import { constants } from 'node:os';
import { reassertModes, resetModes, setModes, type TerminalMode } from './terminal-modes.ts';
import { writeToTerminal } from './terminal-write.ts';

export { type ColourDepth, type TerminalAbilities, terminalAbilities } from './terminal-abilities.ts';
export type { TerminalMode } from './terminal-modes.ts';

/** How long the last work before the exit may take, in ms. */
export const LEAVE_LIMIT_MS = 1000;
/** How long to wait for the stop to take hold before going on as if it had not been asked, in ms. */
const STOP_WAIT_MS = 150;

type EndSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP';

const END_SIGNALS: readonly EndSignal[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** Why the program ends. */
export type LeaveCause =
  | { readonly kind: 'quit' }
  | { readonly kind: 'signal'; readonly signal: EndSignal }
  | { readonly kind: 'fault'; readonly error: unknown }
  | { readonly kind: 'hang-up' };

/** The part of `process` that the guard needs. */
export type GuardProcess = Pick<NodeJS.EventEmitter, 'on' | 'off'> & { exit(code: number): void };

type GuardListener = (...args: unknown[]) => void;

/** A stream of the terminal whose failure means that the terminal is gone. */
export type GuardStream = Pick<NodeJS.EventEmitter, 'on' | 'off'>;

export interface TerminalGuardOptions {
  readonly process: GuardProcess;
  /** Streams on the terminal: EPIPE, EIO, and the end of one of them are a hang-up. */
  readonly streams: readonly GuardStream[];
  /** Writes synchronously; may throw when the terminal is gone. */
  readonly write: (text: string) => void;
  /** Raw mode of the input, whoever switched it on. */
  readonly rawMode: { readonly isOn: () => boolean; readonly set: (state: 'on' | 'off') => void };
  /** Returns the text for the normal screen, without control characters, or null for nothing. */
  readonly reason: (cause: LeaveCause) => string | null;
  /** Work before the exit, after the terminal is restored: at most LEAVE_LIMIT_MS is waited for it. */
  readonly beforeExit: (cause: LeaveCause) => Promise<void> | void;
  /** The program leaves: from now on nobody else may write to the terminal. */
  readonly silence: () => void;
  /** The screen must be drawn from nothing: the program was stopped and goes on. */
  readonly redraw: () => void;
  /** Stops the program as the terminal's suspend key would. */
  readonly stopSelf: () => void;
  /** Stops this process alone, although it listens to the suspend key. */
  readonly stopAtOnce: () => void;
}

export class TerminalGuard {
  readonly #options: TerminalGuardOptions;
  #modes: readonly TerminalMode[] = [];
  /** Whether the modes are set right now, and raw mode of the time before a stop. */
  #terminal: 'ours' | 'given-back' = 'ours';
  #rawBeforeStop: 'on' | 'off' = 'off';
  #state: 'active' | 'suspended' | 'lent' | 'left' = 'active';
  /** Ends the work of whoever has the terminal. */
  #loan: AbortController | null = null;
  #stopTimer: NodeJS.Timeout | null = null;
  #installed = false;

  constructor(options: TerminalGuardOptions) {
    this.#options = options;
  }

  /** Starts to listen for everything that can end or stop the program. */
  install(): void {
    if (this.#installed) return;
    this.#installed = true;
    const { process: host, streams } = this.#options;
    for (const [event, listener] of this.#listeners) host.on(event, listener);
    for (const stream of streams) stream.on('error', this.#onStreamError).on('end', this.#onStreamEnd);
  }

  /** Restores the terminal and stops listening; for a program that goes on without it. */
  uninstall(): void {
    if (!this.#installed) return;
    this.#installed = false;
    this.restore();
    const { process: host, streams } = this.#options;
    for (const [event, listener] of this.#listeners) host.off(event, listener);
    for (const stream of streams) stream.off('error', this.#onStreamError).off('end', this.#onStreamEnd);
  }

  /** Sets modes that are not set yet. Throws what the write throws. */
  enter(modes: readonly TerminalMode[]): void {
    const fresh = modes.filter((mode) => !this.#modes.includes(mode));
    this.adopt(fresh);
    if (this.#terminal === 'given-back' && this.#state !== 'active') return;
    if (fresh.length > 0) this.#options.write(setModes(fresh));
  }

  /** Resets modes that were set. Throws what the write throws. */
  exit(modes: readonly TerminalMode[]): void {
    const present = this.#modes.filter((mode) => modes.includes(mode));
    this.#modes = this.#modes.filter((mode) => !modes.includes(mode));
    if (this.#terminal === 'ours' && present.length > 0) this.#options.write(resetModes(present));
  }

  /** Takes over modes that somebody else (the renderer) sets: they are reset with the others. */
  adopt(modes: readonly TerminalMode[]): void {
    if (this.#state === 'active') this.#terminal = 'ours';
    this.#modes = [...this.#modes, ...modes.filter((mode) => !this.#modes.includes(mode))];
  }

  /** Resets every mode and raw mode, now. Never throws; the second call does nothing. */
  restore(): void {
    this.#giveBack();
    this.#modes = [];
  }

  /** Restores the terminal, writes the reason, does the last work, and ends the process. Only the first call counts. */
  async leave(cause: LeaveCause): Promise<void> {
    if (this.#state === 'left') return;
    this.#state = 'left';
    this.#loan?.abort();
    this.#clearStopTimer();
    this.#try(this.#options.silence);
    this.restore();
    const reason = this.#reasonFor(cause);
    if (reason !== null) this.#try(() => this.#options.write(`${reason}\r\n`));
    await this.#lastWork(cause);
    this.#options.process.exit(exitCode(cause));
  }

  /** Gives the terminal back and stops the program until it is continued. */
  suspend(): void {
    if (this.#state !== 'active') return;
    this.#state = 'suspended';
    const { process: host, rawMode } = this.#options;
    this.#rawBeforeStop = rawMode.isOn() ? 'on' : 'off';
    this.#giveBack();
    host.off('SIGTSTP', this.#onSuspend);
    this.#try(this.#options.stopSelf);
    host.on('SIGTSTP', this.#onSuspend);
    // A stop does nothing without a shell that could continue the program: then go on at once.
    this.#stopTimer = setTimeout(() => this.#resume(), STOP_WAIT_MS);
  }

  /**
   * Gives the terminal to another program for as long as the work lasts, and takes it back; null when it is not ours
   * to give. The signal is raised when this program ends meanwhile.
   */
  async lend<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T | null> {
    if (this.#state !== 'active') return null;
    const loan = new AbortController();
    const isRaw = this.#options.rawMode.isOn();
    this.#state = 'lent';
    this.#loan = loan;
    this.#giveBack();
    try {
      return await work(loan.signal);
    } finally {
      this.#loan = null;
      if (this.#isLent()) this.#takeBack(isRaw);
    }
  }

  /** The state may have changed while somebody else had the terminal. */
  #isLent(): boolean {
    return this.#state === 'lent';
  }

  readonly #onSuspend = (): void => {
    // Whoever has the terminal stops the whole job; only its shell can go on with it.
    if (this.#isLent()) this.#try(this.#options.stopAtOnce);
    else this.suspend();
  };

  readonly #resume = (): void => {
    if (this.#state === 'left' || this.#isLent()) return;
    this.#clearStopTimer();
    const { rawMode } = this.#options;
    const isRaw = this.#state === 'suspended' ? this.#rawBeforeStop === 'on' : rawMode.isOn();
    this.#takeBack(isRaw);
  };

  #takeBack(isRaw: boolean): void {
    const { rawMode } = this.#options;
    const bytes = this.#terminal === 'given-back' ? setModes(this.#modes) : reassertModes(this.#modes);
    this.#state = 'active';
    this.#terminal = 'ours';
    if (isRaw) {
      // Off first: a shell changed the mode behind the back of the runtime, which remembers it as on.
      this.#try(() => rawMode.set('off'));
      this.#try(() => rawMode.set('on'));
    }
    if (this.#modes.length > 0) this.#try(() => this.#options.write(bytes));
    this.#options.redraw();
  }

  #giveBack(): void {
    const { rawMode, write } = this.#options;
    if (this.#terminal === 'ours' && this.#modes.length > 0) {
      this.#terminal = 'given-back';
      this.#try(() => write(resetModes(this.#modes)));
    }
    this.#try(() => {
      if (rawMode.isOn()) rawMode.set('off');
    });
  }

  /** Without it a closed terminal could end the event loop, with code 0, before SIGHUP is told. */
  readonly #onStreamEnd = (): void => void this.leave({ kind: 'hang-up' });

  readonly #onStreamError = (error: unknown): void => {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    const isGone = code === 'EPIPE' || code === 'EIO' || code === 'ENXIO' || code === 'EBADF';
    void this.leave(isGone ? { kind: 'hang-up' } : { kind: 'fault', error });
  };

  readonly #listeners: readonly (readonly [string, GuardListener])[] = [
    ...END_SIGNALS.map((signal) => [signal, () => this.#onEndSignal(signal)] as const),
    ['uncaughtException', (error: unknown) => this.#onFault(error)],
    ['unhandledRejection', (error: unknown) => this.#onFault(error)],
    ['exit', () => this.restore()],
    ['SIGTSTP', this.#onSuspend],
    ['SIGCONT', this.#resume],
  ];

  /** The interrupt key of a terminal that somebody else has is theirs. */
  #onEndSignal(signal: EndSignal): void {
    if (signal !== 'SIGINT' || !this.#isLent()) void this.leave({ kind: 'signal', signal });
  }

  #onFault(error: unknown): void {
    void this.leave(isHangUp(error) ? { kind: 'hang-up' } : { kind: 'fault', error });
  }

  #reasonFor(cause: LeaveCause): string | null {
    try {
      return this.#options.reason(cause);
    } catch {
      return null;
    }
  }

  async #lastWork(cause: LeaveCause): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const limit = new Promise<void>((done) => {
      timer = setTimeout(done, LEAVE_LIMIT_MS);
    });
    try {
      await Promise.race([this.#options.beforeExit(cause), limit]);
    } catch {
      // The program ends with the first reason; a second one would hide it.
    }
    clearTimeout(timer);
  }

  #clearStopTimer(): void {
    if (this.#stopTimer !== null) clearTimeout(this.#stopTimer);
    this.#stopTimer = null;
  }

  #try(action: () => void): void {
    try {
      action();
    } catch {
      // The terminal is gone; there is nothing left to restore on it.
    }
  }
}

/** Returns the exit code of a cause: 0, 1 for a fault, 128 + n for a signal, the one of SIGHUP for a hang-up. */
export function exitCode(cause: LeaveCause): number {
  switch (cause.kind) {
    case 'quit':
      return 0;
    case 'fault':
      return 1;
    case 'signal':
      return 128 + constants.signals[cause.signal];
    case 'hang-up':
      return 128 + constants.signals.SIGHUP;
  }
}

/** Returns a guard of this process and its terminal; the caller says what is particular to the program. */
export function guardProcess(
  options: Pick<TerminalGuardOptions, 'reason' | 'beforeExit' | 'silence' | 'redraw'>,
): TerminalGuard {
  return new TerminalGuard({
    ...options,
    process,
    streams: [process.stdout, process.stderr, process.stdin],
    write: (text) => writeToTerminal(process.stdout.fd, text),
    rawMode: {
      isOn: () => process.stdin.isTTY && process.stdin.isRaw,
      set: (state) => {
        if (process.stdin.isTTY) process.stdin.setRawMode(state === 'on');
      },
    },
    // The whole job, as the terminal itself would do it: a wrapper such as npm must stop too, or no prompt comes.
    stopSelf: () => process.kill(0, 'SIGTSTP'),
    stopAtOnce: () => process.kill(process.pid, 'SIGSTOP'),
  });
}

function isHangUp(error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error) || !('syscall' in error)) return false;
  return (
    (error.code === 'EIO' || error.code === 'EPIPE') &&
    (error.syscall === 'read' || error.syscall === 'write')
  );
}

/**
 * A program in a real pseudo-terminal, and what a user would see of it.
 *
 * Invariants:
 * - tests wait for what the screen shows, never for time;
 * - the environment is a small fixed one, so that a test means the same on every machine;
 * - dispose() ends the program that was started here and nothing else.
 */
import { spawn } from '@lydell/node-pty';
import { keepOutput } from '../secrets/ledger.ts';
import { keyBytes, type PressName } from './pty-keys.ts';
import { VirtualScreen, type VirtualScreenOptions } from './virtual-screen.ts';

export type { PressName } from './pty-keys.ts';

export interface PtyOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  /** Added to the fixed environment; undefined removes a variable. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Default 80. */
  readonly cols?: number;
  /** Default 24. */
  readonly rows?: number;
  /** Default `#101418`. */
  readonly background?: VirtualScreenOptions['background'];
  /** Default `unsupported`, as most terminals. */
  readonly kittyKeyboard?: VirtualScreenOptions['kittyKeyboard'];
  /** Hears every piece of output as it comes. */
  readonly onOutput?: (bytes: Buffer) => void;
}

export interface PtyExit {
  readonly code: number;
  /** The signal's number, or null. */
  readonly signal: number | null;
}

/** What to wait for: text on the screen, a pattern on it, or any condition. */
export type ScreenCondition = string | RegExp | ((screen: VirtualScreen) => boolean);

export interface PtyProgram {
  readonly pid: number;
  readonly screen: VirtualScreen;
  /** Settles when the program has ended and all of its output is on the screen. */
  readonly exit: Promise<PtyExit>;
  /** Settles when the condition holds; rejects with the screen's text. Checked now and after every output. */
  waitFor(condition: ScreenCondition, options?: { readonly timeoutMs: number }): Promise<void>;
  /** Settles when nothing was written for `ms`. */
  waitForQuiet(ms: number): Promise<void>;
  /** Sends bytes in one write. */
  write(bytes: string): void;
  /** Types text, each visible character in a write of its own. */
  type(text: string): Promise<void>;
  /** Presses one key. */
  press(name: PressName): void;
  /** Pastes as the terminal would: in brackets when the program asked for them. */
  paste(text: string): void;
  resize(cols: number, rows: number): void;
  /** Returns all output so far. */
  bytes(): string;
  /** Returns a mark for bytesSince(). */
  mark(): number;
  bytesSince(mark: number): string;
  isAlternate(): boolean;
  kill(signal: NodeJS.Signals): void;
  /** Closes the terminal under the program, as closing its window does. */
  hangUp(): void;
  /** Ends the program if it still runs, and frees the terminal. */
  dispose(): Promise<void>;
}

const DEFAULT_TIMEOUT_MS = 15_000;
const TYPING_GAP_MS = 5;
const INHERITED = ['PATH', 'HOME', 'USER', 'SHELL', 'TMPDIR'];

/** Starts a program in a pseudo-terminal of its own. Throws when it cannot be started. */
export function startPty(options: PtyOptions): PtyProgram {
  const { cols = 80, rows = 24, cwd = process.cwd() } = options;
  const env = environment(options.env ?? {});
  const pty = spawn(options.command, [...options.args], {
    name: env.TERM ?? 'xterm-256color',
    cols,
    rows,
    cwd,
    env,
    encoding: null,
  });
  const screen = new VirtualScreen({
    cols,
    rows,
    background: options.background === undefined ? '#101418' : options.background,
    kittyKeyboard: options.kittyKeyboard ?? 'unsupported',
    onReply: (reply) => send(reply),
  });
  const chunks: Buffer[] = [];
  const watchers = new Set<() => void>();
  let length = 0;
  let ended: PtyExit | null = null;
  let shown: Promise<void> = Promise.resolve();
  const notify = () => {
    for (const watcher of [...watchers]) watcher();
  };
  const send = (bytes: string) => {
    if (ended === null) pty.write(bytes);
  };

  pty.onData((data: string | Uint8Array) => {
    const chunk = Buffer.from(data);
    chunks.push(chunk);
    length += chunk.length;
    options.onOutput?.(chunk);
    shown = screen.write(chunk).then(notify);
  });
  const exit = new Promise<PtyExit>((settle) => {
    pty.onExit(({ exitCode, signal }) => {
      void shown.then(() => {
        const result = { code: exitCode, signal: signal === undefined || signal === 0 ? null : signal };
        ended = result;
        settle(result);
        notify();
      });
    });
  });

  const bytesSince = (mark: number) => Buffer.concat(chunks).subarray(mark).toString('utf8');

  return {
    pid: pty.pid,
    screen,
    exit,
    waitFor: (condition, { timeoutMs } = { timeoutMs: DEFAULT_TIMEOUT_MS }) =>
      new Promise((settle, reject) => {
        const finish = (end: () => void) => {
          clearTimeout(timer);
          watchers.delete(check);
          end();
        };
        const fail = (why: string) => finish(() => reject(new Error(describe(why, condition, screen))));
        const check = () => {
          if (holds(condition, screen)) finish(settle);
          else if (ended !== null) fail(`the program ended (code ${ended.code}, signal ${ended.signal})`);
        };
        const timer = setTimeout(() => fail(`not within ${timeoutMs} ms`), timeoutMs);
        watchers.add(check);
        check();
      }),
    waitForQuiet: (ms) =>
      new Promise((settle) => {
        const restart = () => {
          clearTimeout(timer);
          timer = setTimeout(done, ms);
        };
        const done = () => {
          watchers.delete(restart);
          settle();
        };
        let timer = setTimeout(done, ms);
        watchers.add(restart);
      }),
    write: send,
    type: async (text) => {
      for (const { segment } of new Intl.Segmenter().segment(text)) {
        send(segment);
        await new Promise((done) => setTimeout(done, TYPING_GAP_MS));
      }
    },
    press: (name) => send(keyBytes(name)),
    paste: (text) => {
      send(screen.modes().bracketedPaste ? `\u001b[200~${text}\u001b[201~` : text);
    },
    resize: (newCols, newRows) => {
      screen.resize(newCols, newRows);
      if (ended === null) pty.resize(newCols, newRows);
    },
    bytes: () => bytesSince(0),
    mark: () => length,
    bytesSince,
    isAlternate: () => screen.isAlternate(),
    kill: (signal) => {
      if (ended === null) pty.kill(signal);
    },
    hangUp: () => {
      if ('destroy' in pty && typeof pty.destroy === 'function') pty.destroy();
    },
    dispose: async () => {
      if (ended === null) pty.kill('SIGKILL');
      await exit;
      keepOutput('terminal', Buffer.concat(chunks));
      keepOutput('screen', `${screen.normalText()}\n${screen.text()}`);
      screen.dispose();
    },
  };
}

/** A fixed environment: no CI (renderers draw less there), no colour settings, no outer terminal. */
function environment(extra: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const inherited = INHERITED.map((name) => [name, process.env[name]] as const);
  const fixed = { TERM: 'xterm-256color', COLORTERM: 'truecolor', LANG: 'C.UTF-8', CI: 'false' };
  const all = { ...Object.fromEntries(inherited), ...fixed, ...extra };
  return Object.fromEntries(
    Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

function holds(condition: ScreenCondition, screen: VirtualScreen): boolean {
  if (typeof condition === 'function') return condition(screen);
  const text = screen.text();
  return typeof condition === 'string' ? text.includes(condition) : condition.test(text);
}

function describe(why: string, condition: ScreenCondition, screen: VirtualScreen): string {
  return `waited for ${String(condition)}: ${why}. The screen:\n${screen.text()}\n--`;
}

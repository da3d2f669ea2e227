/**
 * `login`: signing in without the full screen, for scripts and over ssh (PROTOCOL.md, "Authentication").
 * Invariants: the link stands alone on its line, unbroken; what is pasted is not shown; Ctrl+C cancels and waits for
 * the real end.
 */
import { randomUUID } from 'node:crypto';
import type { Connection } from '../client/connection.ts';
import { type SignIn, startSignIn } from '../client/sign-in.ts';
import { openInBrowser, whyNoBrowser } from '../platform/browser.ts';
import { readMaskedLine } from '../platform/masked-line.ts';
import { sanitiseLine } from '../render/sanitise.ts';
import { beginSignIn, type SignInInput, type SignInState, signInStep } from '../store/sign-in.ts';
import { endWords, stageWords } from '../store/sign-in-words.ts';
import { connected } from './connected.ts';
import { EXIT, type GlobalFlags, isElsewhere, placeOf, UsageError } from './flags.ts';
import { CODEX, type NamedProvider, providerNamed, whyNoSignIn } from './provider-names.ts';

export interface LoginOptions {
  /** No browser is opened. */
  readonly noBrowser: boolean;
  /** Only the link goes to stdout; everything else to stderr. */
  readonly printUrl: boolean;
}

/** Its callback comes back to this port of the machine that runs the service. */
const CALLBACK_PORT = 1455;

/**
 * Returns the exit code: 0 signed in, 1 not, 3 no service, 130 cancelled.
 * @throws UsageError for a provider that does not exist or is not signed in to, Error when the settings cannot be used
 */
export async function login(flags: GlobalFlags, asked: string, options: LoginOptions): Promise<number> {
  const isThere = isElsewhere(flags);
  if (asked !== CODEX && !isThere) {
    const { knownProviders } = await import('./daemon-providers.ts');
    refuseWithoutSignIn(asked, knownProviders(placeOf(flags)));
  }
  return connected(flags, async (connection) => {
    if (asked !== CODEX && isThere) refuseWithoutSignIn(asked, await providersThere(connection));
    return new LoginCommand(connection, options).run();
  });
}

/** @throws UsageError */
function refuseWithoutSignIn(asked: string, all: readonly NamedProvider[]): void {
  const refusal = whyNoSignIn(providerNamed(asked, all));
  if (refusal !== null) throw new UsageError(refusal);
}

const TAKES = { oauth: 'sign-in', api_key: 'key', none: 'nothing' } as const;

async function providersThere(connection: Connection): Promise<readonly NamedProvider[]> {
  const { providers } = await connection.request('auth.status', {});
  return providers.map(({ auth_method, provider_id }) => ({ id: provider_id, takes: TAKES[auth_method] }));
}

class LoginCommand {
  readonly #connection: Connection;
  readonly #options: LoginOptions;
  #state: SignInState = beginSignIn(CODEX);
  #signIn: SignIn | null = null;
  #settle: (code: number) => void = () => undefined;

  constructor(connection: Connection, options: LoginOptions) {
    this.#connection = connection;
    this.#options = options;
  }

  async run(): Promise<number> {
    const outcome = new Promise<number>((resolve) => {
      this.#settle = resolve;
    });
    const cancel = (): void => this.#cancel();
    process.on('SIGINT', cancel);
    const unlisten = this.#connection.onClose(() => this.#settle(this.#lost()));
    try {
      this.#signIn = await startSignIn(this.#connection, CODEX, randomUUID(), (event) =>
        this.#take(event.kind === 'terminal' ? event : { ...event, now: Date.now() }),
      );
      return await outcome;
    } finally {
      unlisten();
      process.off('SIGINT', cancel);
      process.stdin.pause();
    }
  }

  #take(input: SignInInput): void {
    const before = this.#state;
    this.#state = signInStep(before, input);
    const { end, note, stage, url } = this.#state;
    if (end !== null) {
      const { next, sentence } = endWords(end);
      say(`${sentence} ${next}`.trim());
      const isSuccess = end.kind === 'terminal' && end.state === 'exchange_succeeded';
      this.#settle(isSuccess ? EXIT.ok : this.#state.cancelling ? EXIT.cancelled : EXIT.failed);
    } else if (url !== null && before.url === null) void this.#offer(url);
    else if (stage !== before.stage) say(`${capital(stageWords(this.#state))}.`);
    if (note !== '' && note !== before.note) say(sanitiseLine(note));
  }

  async #offer(url: string): Promise<void> {
    const { noBrowser, printUrl } = this.#options;
    if (!printUrl) say('Open this link:');
    process.stdout.write(`${sanitiseLine(url)}\n`);
    const why = whyNoBrowser(process.env, process.platform);
    if (why === 'remote')
      say(
        `On another machine: run ssh -L ${CALLBACK_PORT}:localhost:${CALLBACK_PORT} there first, or paste what the browser ends at.`,
      );
    if (!noBrowser && !printUrl && why === null && (await openInBrowser(url)) === 'failed')
      say('No browser could be opened: open the link by hand.');
    void this.#paste();
  }

  async #paste(): Promise<void> {
    const line = await readMaskedLine(process.stdin, () => {
      if (process.stdin.isTTY)
        say('Or paste the final address or the code here (it is not shown), then Enter:');
    });
    if (this.#state.end !== null) return;
    if (line !== null && line.trim() !== '') await this.#submit(line.trim());
    else if (line !== null) await this.#paste();
    // The end of a pipe says nothing; on a terminal it was Ctrl+C.
    else if (process.stdin.isTTY) this.#cancel();
  }

  async #submit(input: string): Promise<void> {
    this.#take({ kind: 'pasting' });
    try {
      await this.#signIn?.submit(input);
      this.#take({ kind: 'paste-taken' });
    } catch {
      say('That was not taken. Start again with the address or the code of the new link.');
    }
  }

  #cancel(): void {
    if (this.#state.end !== null) return;
    if (this.#state.cancelling) {
      // Nobody has to wait for a service that says nothing; it ends the sign-in with this connection.
      this.#settle(EXIT.cancelled);
      return;
    }
    this.#take({ kind: 'cancelling' });
    say('Cancelling.');
    // The terminal says how it ended; a refusal means that it has ended already.
    this.#signIn?.cancel().catch(() => undefined);
  }

  #lost(): number {
    if (this.#state.end !== null) return EXIT.failed;
    say('The service is gone. Ask with magi-term auth status whether you are signed in.');
    return EXIT.unreachable;
  }
}

function say(text: string): void {
  process.stderr.write(`${text}\n`);
}

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

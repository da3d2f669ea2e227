/**
 * The interface for screen readers: text is only added, lines are read as the terminal edits them, and no escape
 * sequence is written. Invariant: the terminal stays in the mode it was found in.
 */
import { createInterface } from 'node:readline';
import { exitCode, LEAVE_LIMIT_MS, type LeaveCause } from '../../platform/terminal.ts';
import { sanitiseLine } from '../../render/sanitise.ts';
import type { Conversation } from '../../store/conversation.ts';
import type { State } from '../../store/state.ts';
import type { Store } from '../../store/store.ts';
import { day } from '../rows/format.ts';
import { type Expecting, HELP, type Order, orderOf } from './orders.ts';
import { Speaker } from './speaker.ts';

export interface PlainOptions {
  readonly store: Store<State>;
  readonly conversation: Conversation;
  readonly farewell: (state: State, cause: LeaveCause) => string | null;
}

/** Between two presses of Ctrl+C that leave. */
const LADDER_MS = 2_000;
const LISTED = 20;

export function runPlain(options: PlainOptions): void {
  new PlainInterface(options).start();
}

class PlainInterface {
  readonly #options: PlainOptions;
  readonly #speaker = new Speaker();
  readonly #lines = createInterface({
    input: process.stdin,
    terminal: false,
    crlfDelay: Number.POSITIVE_INFINITY,
  });
  /** The list that numbers pick from. */
  #list: 'sessions' | null = null;
  /** Lines of a message that goes on. */
  #begun: string[] = [];
  #pressedAt = Number.NEGATIVE_INFINITY;
  #listedAt: State['sessions'] | null = null;
  #hasLeft = false;

  constructor(options: PlainOptions) {
    this.#options = options;
  }

  start(): void {
    const { conversation, store } = this.#options;
    const leave = (cause: LeaveCause) => () => void this.#leave(cause);
    process.on('SIGINT', () => this.#interrupt());
    process.on('SIGTERM', leave({ kind: 'signal', signal: 'SIGTERM' }));
    process.on('SIGHUP', leave({ kind: 'hang-up' }));
    process.stdout.on('error', leave({ kind: 'hang-up' }));
    for (const event of ['uncaughtException', 'unhandledRejection'])
      process.on(event, (error: unknown) => void this.#leave({ kind: 'fault', error }));
    this.#lines.on('line', (line) => this.#take(line));
    this.#lines.on('close', leave({ kind: 'quit' }));
    conversation.readDraftFrom(() => ({ text: this.#begun.join('\n'), files: [] }));
    store.subscribe(() => this.#hear());
    this.#hear();
  }

  #hear(): void {
    const state = this.#options.store.getState();
    this.#say(this.#speaker.hear(state));
    this.#takeBack();
    if (this.#list === 'sessions' && !state.sessions.loading && state.sessions !== this.#listedAt) {
      this.#listedAt = state.sessions;
      this.#say(sessionLines(state, Date.now()));
    }
  }

  /** Text that comes back is the beginning of the next message. */
  #takeBack(): void {
    for (const { place, text } of this.#options.conversation.takeReturned()) {
      const lines = text === '' ? [] : text.split('\n');
      this.#begun = place === 'instead' ? lines : [...lines, ...this.#begun];
      if (lines.length > 0)
        this.#say(['This was not sent; what you type next is added to it:', ...lines.map(sanitiseLine)]);
    }
  }

  #say(lines: readonly string[]): void {
    if (lines.length > 0 && !this.#hasLeft) process.stdout.write(`${lines.join('\n')}\n`);
  }

  #take(line: string): void {
    const { conversation } = this.#options;
    if (line.endsWith('\\')) {
      this.#begun.push(line.slice(0, -1));
      conversation.keepDraft(this.#begun.join('\n'));
      return;
    }
    const order = orderOf(line, this.#begun.length > 0 ? 'anything' : this.#expecting());
    if (order.kind === 'say') {
      const text = [...this.#begun, order.text].join('\n');
      this.#begun = [];
      if (conversation.send(text) === 'too-long') this.#begun = text.split('\n');
      return;
    }
    this.#obey(order);
  }

  #expecting(): Expecting {
    const { live, setup } = this.#options.store.getState();
    if ((live?.envelopes?.questions.length ?? 0) > 0) return 'question';
    return setup !== null || this.#list !== null ? 'list' : 'anything';
  }

  #obey(order: Exclude<Order, { kind: 'say' }>): void {
    const { conversation, store } = this.#options;
    switch (order.kind) {
      case 'answer':
        this.#answer(order.decision);
        return;
      case 'pick':
        this.#pick(order.number);
        return;
      case 'help':
        this.#say(HELP);
        return;
      case 'sessions':
        this.#list = 'sessions';
        this.#listedAt = store.getState().sessions;
        conversation.listSessions();
        return;
      case 'new':
        conversation.startNew();
        this.#say(['New session.']);
        return;
      case 'providers':
        conversation.askWho();
        return;
      case 'stop':
        this.#stop();
        return;
      case 'retry':
        conversation.retry();
        return;
      case 'quit':
        void this.#leave({ kind: 'quit' });
        return;
      case 'unknown':
        this.#say([
          `There is no command /${order.word}. /help lists them; a space in front makes it a message.`,
        ]);
        return;
      case 'nothing':
        return;
    }
  }

  #answer(decision: 'allow-once' | 'allow-always' | 'deny'): void {
    const { conversation, store } = this.#options;
    const question = store.getState().live?.envelopes?.questions[0];
    if (decision === 'allow-always' && question?.rules.length === 0)
      this.#say(['No rule can say this: type y to allow it once, or n to deny it.']);
    else conversation.answer(decision);
  }

  #pick(number: number): void {
    const { conversation, store } = this.#options;
    const { sessions, setup } = store.getState();
    const choice = setup?.[number - 1];
    const session = this.#list === 'sessions' ? sessions.rows.slice(0, LISTED)[number - 1] : undefined;
    if (choice !== undefined) {
      this.#say([`${number}. ${sanitiseLine(choice.label)}`]);
      if (choice.signIn === true)
        this.#say([`Leave with /quit and run: magi-term login ${sanitiseLine(choice.providerId)}`]);
      else if (choice.howTo === '') conversation.choose(choice);
      else this.#say([sanitiseLine(choice.howTo)]);
    } else if (setup === null && session !== undefined) {
      this.#list = null;
      this.#say([`${number}. ${sanitiseLine(session.title)}`]);
      if (session.id === store.getState().session?.id) this.#say(['This session is open.']);
      else conversation.open(session.id, session.title);
    } else this.#say([`There is no entry ${number}.`]);
  }

  #stop(): void {
    if (this.#options.store.getState().live === null) this.#say(['Nothing runs.']);
    else {
      this.#options.conversation.stop();
      this.#say(['Stopping.']);
    }
  }

  #interrupt(): void {
    const { live } = this.#options.store.getState();
    const now = performance.now();
    const isSecond = now - this.#pressedAt < LADDER_MS;
    this.#pressedAt = now;
    if (live !== null && !live.stopping) this.#stop();
    else if (isSecond) void this.#leave({ kind: 'quit' });
    else this.#say(['Ctrl+C again to leave.']);
  }

  async #leave(cause: LeaveCause): Promise<void> {
    if (this.#hasLeft) return;
    const { conversation, farewell, store } = this.#options;
    const last = cause.kind === 'hang-up' ? null : farewell(store.getState(), cause);
    if (last !== null) this.#say([last.replaceAll('\r', '')]);
    this.#hasLeft = true;
    if (this.#begun.length > 0) conversation.keepDraft(this.#begun.join('\n'));
    const limit = new Promise<void>((resolve) => {
      setTimeout(resolve, LEAVE_LIMIT_MS);
    });
    await Promise.race([conversation.close(), limit]);
    process.exit(exitCode(cause));
  }
}

function sessionLines({ sessions }: State, now: number): string[] {
  if (sessions.failure !== '') return [sanitiseLine(sessions.failure)];
  if (sessions.rows.length === 0) return ['There is no session yet.'];
  const rows = sessions.rows.slice(0, LISTED).map((row, index) => {
    const where = row.where === 'elsewhere' ? ', in use' : '';
    const title = sanitiseLine(row.title) || `without a title, ${row.id.slice(0, 8)}`;
    return `${index + 1}. ${title}, ${day(row.updatedAt, now)}${where}`;
  });
  const more = sessions.rows.length - rows.length;
  return ['Sessions. Type a number to open one.', ...rows, ...(more > 0 ? [`and ${more} older.`] : [])];
}

/**
 * What clients do to a service in one case of the table of sign-ins, and what it came to.
 * Invariants: everything is said on the wire and nothing else is looked at; what is told at the end was asked by a
 * client that did not begin the sign-in.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { HelloOptions } from '../../src/client/hello.ts';
import { registerLink } from '../secrets/ledger.ts';
import { CODEX } from '../service/auth/auth-world.ts';
import { type JsonObject, objectOf } from '../support/traces.ts';
import { codeOf, RawPeer } from './raw-peer.ts';

/** What a case came to, in the words of the protocol; `—` where there is nothing to say. */
export interface Outcome {
  /** The last state that the initiator heard. */
  readonly last: string;
  /** What lookup tells of the start: its state, or its end, its code and whether everything was cleaned up. */
  readonly operation: string;
  /** Codes of the requests that were refused, and what else was learnt, in their order. */
  readonly said: string;
  /** Readiness of the provider afterwards, or the code with which the question was refused. */
  readonly status: string;
}

export const NOTHING = '—';
const POLL_MS = 10;
/** An end that comes later than this was not brought about by what was asked last. */
const PROMPT_MS = 5_000;

export class Act {
  readonly #endpoint: HelloOptions;
  readonly #said: string[] = [];
  readonly #peers: RawPeer[] = [];
  #initiator: RawPeer | null = null;
  #login: { readonly id: string; readonly operation: string } | null = null;
  #isLate = false;
  #count = 0;

  constructor(endpoint: HelloOptions) {
    this.#endpoint = endpoint;
  }

  /** Another client. */
  async open(): Promise<RawPeer> {
    const peer = await RawPeer.welcomed(this.#endpoint);
    this.#peers.push(peer);
    return peer;
  }

  /** The client that begins the sign-in. */
  async initiator(): Promise<RawPeer> {
    this.#initiator ??= await this.open();
    return this.#initiator;
  }

  /** Something that is learnt on the way. */
  say(what: string): void {
    this.#said.push(what);
  }

  /** Begins a sign-in, and may be refused. */
  async start(by?: RawPeer, provider = CODEX): Promise<void> {
    const peer = by ?? (await this.initiator());
    const operation = this.#operation();
    const payload = await this.#ask(peer, 'auth.login.start', { provider_id: provider }, operation);
    if (typeof payload.login_id !== 'string') return;
    this.#initiator = peer;
    this.#login = { id: payload.login_id, operation };
  }

  /** Begins a sign-in and waits until it waits. */
  async begin(by?: RawPeer): Promise<void> {
    await this.start(by);
    await this.hears('waiting');
    registerLink(await this.url());
  }

  async answer(input: string, by?: RawPeer): Promise<void> {
    await this.#ask(by ?? (await this.initiator()), 'auth.login.callback', { login_id: this.#id(), input });
  }

  /** The same answer twice, the second one without waiting for the first one. */
  async answerTwice(input: string): Promise<void> {
    await Promise.all([this.answer(input), this.answer(input)]);
  }

  async cancel(by?: RawPeer): Promise<void> {
    await this.#ask(by ?? (await this.initiator()), 'auth.login.cancel', { login_id: this.#id() });
  }

  async logout(confirmed: boolean, by?: RawPeer): Promise<void> {
    const payload = await this.#ask(by ?? (await this.open()), 'auth.logout', {
      provider_id: CODEX,
      confirmed,
    });
    if ('removed' in payload) this.say(`removed: ${payload.removed}`);
  }

  /** The initiator ends as a crash ends it. */
  async leave(): Promise<void> {
    await (await this.initiator()).close();
  }

  async hears(state: string): Promise<void> {
    await (await this.initiator()).find((record) => stateOf(record) === state);
  }

  /** Waits for the end of the sign-in: as its initiator hears it, if there still is one, and as lookup tells it. */
  async ended(): Promise<void> {
    const initiator = await this.initiator();
    const before = performance.now();
    if (!initiator.isEnded) await initiator.find(({ event }) => event === 'auth.login.terminal');
    const peer = await this.open();
    while (!(await this.#lookup(peer)).startsWith('terminal')) await sleep(POLL_MS);
    this.#isLate = performance.now() - before > PROMPT_MS;
  }

  /** The address of the sign-in. */
  async url(): Promise<string> {
    const record = await (await this.initiator()).find(
      (candidate) => stateOf(candidate) === 'authorization_url',
    );
    return String(payloadOf(record).url);
  }

  /** Where a browser would be sent, without any issuer having been asked. */
  async comeBack(changes: Readonly<Record<string, string>> = {}): Promise<string> {
    const { searchParams } = new URL(await this.url());
    const back = new URL(searchParams.get('redirect_uri') ?? '');
    const state = searchParams.get('state') ?? '';
    back.search = new URLSearchParams({
      ...(changes.error ? {} : { code: 'invented' }),
      state,
      ...changes,
    }).toString();
    return back.href;
  }

  /** A browser opens the address; the class of the answer's status is said. */
  async browse(address: string): Promise<void> {
    const { status } = await fetch(address);
    this.say(`page ${Math.floor(status / 100)}xx`);
  }

  async outcome(): Promise<Outcome> {
    const peer = await this.open();
    const heard = this.#initiator?.records.map(stateOf).filter((state) => state !== null) ?? [];
    return {
      last: `${heard.at(-1) ?? NOTHING}${this.#isLate ? ' (late)' : ''}`,
      operation: this.#login === null ? NOTHING : (await this.#lookup(peer)).replace('terminal ', ''),
      said: this.#said.join(', ') || NOTHING,
      status: await readiness(peer),
    };
  }

  async close(): Promise<void> {
    for (const peer of this.#peers) await peer.close();
  }

  #id(): string {
    return this.#login?.id ?? 'nobody';
  }

  #operation(): string {
    this.#count += 1;
    return `case-${this.#count}`;
  }

  async #ask(
    peer: RawPeer,
    method: string,
    payload: JsonObject,
    operation = this.#operation(),
  ): Promise<JsonObject> {
    const answer = await peer.ask(method, payload, { operation_id: operation });
    const code = codeOf(answer);
    if (code !== null) this.say(String(code));
    return payloadOf(answer);
  }

  async #lookup(peer: RawPeer): Promise<string> {
    const answer = await peer.ask('operation.lookup', {
      target_instance_id: answerInstance(peer),
      operation_id: this.#login?.operation ?? '',
    });
    const { error = null, result = null, state } = payloadOf(answer);
    if (state !== 'terminal') return String(state);
    const { cleanup_complete: isClean, status } = result === null ? {} : objectOf(result);
    const code = error === null ? '' : ` ${objectOf(error).code}`;
    return `terminal ${status}${code}${isClean === true ? ', clean' : ''}`;
  }
}

async function readiness(peer: RawPeer): Promise<string> {
  const answer = await peer.ask('auth.status');
  const { providers } = payloadOf(answer);
  if (!Array.isArray(providers)) return String(codeOf(answer));
  const codex = providers.map(objectOf).find(({ provider_id: id }) => id === CODEX);
  return String(codex?.readiness);
}

/** The instance that has welcomed this client. */
function answerInstance(peer: RawPeer): string {
  const welcome = peer.records.find(({ kind }) => kind === 'response');
  return String(welcome?.instance_id);
}

function stateOf(record: JsonObject): string | null {
  const { event } = record;
  if (event !== 'auth.login.progress' && event !== 'auth.login.terminal') return null;
  return String(payloadOf(record).state);
}

function payloadOf({ payload = null }: JsonObject): JsonObject {
  return payload === null ? {} : objectOf(payload);
}

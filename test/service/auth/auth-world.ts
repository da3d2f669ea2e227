/** A service that signs in to an issuer on this machine, and how a person would. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { registerLink } from '../../secrets/ledger.ts';
import { ACCOUNT, OAuthIssuer } from '../../support/oauth-issuer.ts';
import { op, type Rec, startWorld, type WireClient, type World, type WorldOptions } from '../harness.ts';

export const CODEX = 'openai-codex';
export { ACCOUNT };

export interface AuthWorld extends World {
  readonly issuer: OAuthIssuer;
}

export async function startAuthWorld(options: WorldOptions = {}): Promise<AuthWorld> {
  const issuer = await OAuthIssuer.start();
  const env = { MAGI_TERM_PROVIDER: 'demo', ...issuer.env, ...options.env };
  const world = await startWorld({ ...options, env });
  return {
    ...world,
    issuer,
    close: async () => {
      await world.close();
      await issuer.close();
    },
  };
}

export interface StartedLogin {
  readonly id: string;
  readonly operation: string;
  readonly url: string;
}

export async function start(client: WireClient): Promise<Rec> {
  return client.ask('auth.login.start', { provider_id: CODEX }, { operation_id: op() });
}

/** Begins a sign-in and waits until it waits. */
export async function startLogin(client: WireClient): Promise<StartedLogin> {
  const operation = op();
  const { error, payload } = await client.ask(
    'auth.login.start',
    { provider_id: CODEX },
    { operation_id: operation },
  );
  if (error !== null) throw new Error(error.code);
  const id = payload.login_id;
  const of = (state: string) => (event: Rec) => event.login_id === id && event.state === state;
  await client.event('auth.login.progress', of('waiting'));
  const { payload: first } = await client.event('auth.login.progress', of('authorization_url'));
  registerLink(first.url);
  return { id, operation, url: first.url };
}

export function callback(client: WireClient, login_id: string, input: string): Promise<Rec> {
  return client.ask('auth.login.callback', { login_id, input }, { operation_id: op() });
}

export function cancel(client: WireClient, login_id: string): Promise<Rec> {
  return client.ask('auth.login.cancel', { login_id }, { operation_id: op() });
}

export function logout(client: WireClient, provider_id = CODEX, confirmed: unknown = true): Promise<Rec> {
  return client.ask('auth.logout', { provider_id, confirmed }, { operation_id: op() });
}

/** The label of the sign-in's end. */
export async function outcome(client: WireClient, id: string): Promise<string> {
  const { payload } = await client.event('auth.login.terminal', (event) => event.login_id === id);
  if (payload.cleanup_complete !== true) throw new Error('no cleanup');
  return payload.state;
}

/** States of the sign-in, in the order in which they came. */
export function states(client: WireClient, id: string): string[] {
  return client.events
    .filter(({ event, payload }) => event.startsWith('auth.login.') && payload.login_id === id)
    .map(({ payload }) => payload.state);
}

/** What lookup tells about an operation once it is settled. */
export function settled(client: WireClient, operation_id: string): Promise<Rec> {
  const request = { target_instance_id: client.instanceId, operation_id };
  return client.until(async () => {
    const { payload } = await client.ask('operation.lookup', request);
    return payload.state === 'terminal' ? payload : null;
  });
}

/** `openai-codex` as `auth.status` shows it. */
export async function codexStatus(client: WireClient): Promise<Rec> {
  const { payload } = await client.ask('auth.status');
  return payload.providers.find((provider: Rec) => provider.provider_id === CODEX);
}

export function authFile(stateRoot: string): string {
  return join(stateRoot, 'auth', 'auth.json');
}

export function stored(stateRoot: string): Rec {
  return JSON.parse(readFileSync(authFile(stateRoot), 'utf8'));
}

/** Signs in from the beginning to the end. */
export async function signIn({ issuer }: AuthWorld, client: WireClient): Promise<StartedLogin> {
  const login = await startLogin(client);
  await callback(client, login.id, await issuer.agree(login.url));
  const label = await outcome(client, login.id);
  if (label !== 'exchange_succeeded') throw new Error(label);
  return login;
}

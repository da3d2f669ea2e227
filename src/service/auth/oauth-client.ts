/**
 * The OAuth side of a Codex sign-in: authorization code with PKCE (S256), and refreshing (PROTOCOL.md, "Authentication").
 * Invariants: no failure quotes the issuer, a code or a token; the state is checked whenever an answer carries one,
 * and an answer by redirect must carry one.
 */
import * as oauth from 'oauth4webapi';
import type { OAuthRecord } from './auth-file.ts';
import { createBoundedFetch } from './bounded-fetch.ts';
import type { CallbackInput } from './callback-input.ts';
import { type OAuthSettings, redirectUri } from './oauth-settings.ts';
import { recordOf } from './token-record.ts';

/** What one attempt to sign in must keep to itself, and the address that a person is to open. */
export interface Attempt {
  readonly url: string;
  readonly state: string;
  readonly verifier: string;
  readonly redirectUri: string;
}

/** `refused`: the issuer does not take the code or token. `unreachable`: it may next time. */
export type TokenOutcome =
  | { readonly ok: true; readonly record: OAuthRecord }
  | { readonly ok: false; readonly why: 'refused' | 'unreachable'; readonly reason: string };

/** Clocks of people's machines are not always right. */
const CLOCK_TOLERANCE_S = 300;
/** A proxy that is in the way answers with others. */
const REFUSALS = [400, 401];

export class OAuthClient {
  readonly #settings: OAuthSettings;
  readonly #server: oauth.AuthorizationServer;
  readonly #client: oauth.Client;
  readonly #now: () => number;

  /** @param now Unix time, ms */
  constructor(settings: OAuthSettings, now: () => number) {
    const { authorizationEndpoint, clientId, issuer, tokenEndpoint } = settings;
    this.#settings = settings;
    this.#server = { issuer, authorization_endpoint: authorizationEndpoint, token_endpoint: tokenEndpoint };
    this.#client = { client_id: clientId, [oauth.clockTolerance]: CLOCK_TOLERANCE_S };
    this.#now = now;
  }

  /** @param port on which the redirect is awaited */
  async begin(port: number): Promise<Attempt> {
    const verifier = oauth.generateRandomCodeVerifier();
    const state = oauth.generateRandomState();
    const { authorizationEndpoint, clientId, parameters, scope } = this.#settings;
    const url = new URL(authorizationEndpoint);
    const redirect = redirectUri(port);
    const query = {
      response_type: 'code',
      client_id: clientId,
      redirect_uri: redirect,
      scope,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state,
      ...parameters,
    };
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    return { url: url.href, state, verifier, redirectUri: redirect };
  }

  /** The parameters of an answer that belongs to the attempt and brings a code; null for any other. */
  check({ bare, parameters }: CallbackInput, attempt: Attempt): URLSearchParams | null {
    if ((parameters.get('code') ?? '') === '') return null;
    const expected = bare ? oauth.skipStateCheck : attempt.state;
    try {
      return oauth.validateAuthResponse(this.#server, this.#client, parameters, expected);
    } catch {
      return null;
    }
  }

  /** @param checked what `check` gave */
  exchange(checked: URLSearchParams, attempt: Attempt, signal: AbortSignal): Promise<TokenOutcome> {
    return this.#request(signal, null, async (options) => {
      const response = await oauth.authorizationCodeGrantRequest(
        this.#server,
        this.#client,
        oauth.None(),
        checked,
        attempt.redirectUri,
        attempt.verifier,
        options,
      );
      return oauth.processAuthorizationCodeResponse(this.#server, this.#client, response);
    });
  }

  refresh(record: OAuthRecord, signal: AbortSignal): Promise<TokenOutcome> {
    return this.#request(signal, record, async (options) => {
      const response = await oauth.refreshTokenGrantRequest(
        this.#server,
        this.#client,
        oauth.None(),
        record.refresh,
        options,
      );
      return oauth.processRefreshTokenResponse(this.#server, this.#client, response);
    });
  }

  async #request(
    signal: AbortSignal,
    before: OAuthRecord | null,
    ask: (options: oauth.TokenEndpointRequestOptions) => Promise<oauth.TokenEndpointResponse>,
  ): Promise<TokenOutcome> {
    const bounded = createBoundedFetch();
    try {
      const tokens = await ask({
        signal,
        [oauth.customFetch]: bounded.fetch,
        [oauth.allowInsecureRequests]: this.#settings.insecure,
      });
      const record = recordOf(tokens, this.#now(), before);
      if (record !== null) return { ok: true, record };
      return { ok: false, why: 'refused', reason: 'The answer lacks a refresh token or an account.' };
    } catch (error) {
      return failureOf(error, bounded.status(), signal);
    }
  }
}

function failureOf(error: unknown, status: number | null, signal: AbortSignal): TokenOutcome {
  if (signal.aborted) return { ok: false, why: 'unreachable', reason: 'The exchange was given up.' };
  if (status === null) return { ok: false, why: 'unreachable', reason: 'The issuer could not be reached.' };
  const why = REFUSALS.includes(status) ? 'refused' : 'unreachable';
  if (status !== 200) return { ok: false, why, reason: `The issuer answered with status ${status}.` };
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
  return { ok: false, why, reason: `The issuer's answer cannot be used: ${code}.` };
}

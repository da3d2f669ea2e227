/**
 * An OAuth issuer on this machine that does what the test says. Everything it hands out is made up.
 * A browser gets a page with two buttons; whatever else opens the link has agreed.
 */
import { createHash, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { registerLink, registerSecret, type SecretKind } from '../secrets/ledger.ts';

/** `silent`: takes the request and never answers. `held`: answers when released. */
type TokenMood = 'ok' | 'error' | 'garbage' | 'silent' | 'held' | 'no-account' | 'foreign-token' | 'huge';

interface Grant {
  readonly challenge: string;
  readonly redirectUri: string;
  readonly clientId: string;
}

export interface TokenRequest {
  readonly [name: string]: string;
}

export const ACCOUNT = 'acct-made-up-0001';

const CONSENT = `<!doctype html><meta charset="utf-8"><title>Made-up issuer</title>
<p>May magi-term sign in as you?</p>
<form method="post"><button name="decision" value="agree">Agree</button>
<button name="decision" value="refuse">Refuse</button></form>
`;

export class OAuthIssuer {
  readonly url: string;
  readonly tokenRequests: TokenRequest[] = [];
  /** Everything that must stay between issuer and service. */
  readonly secrets: string[] = [ACCOUNT];
  token: TokenMood = 'ok';
  /** Seconds; null leaves it out. */
  expiresIn: number | null = 3_600;
  /** Whether a refresh gives a new refresh token and spends the old one. */
  rotates = true;
  tokenType: string | null = 'Bearer';
  readonly #close: () => Promise<void>;
  readonly #grants = new Map<string, Grant>();
  readonly #refreshTokens = new Set<string>();
  #held: (() => void)[] = [];
  #watchers: (() => void)[] = [];
  #count = 0;

  private constructor(url: string, close: () => Promise<void>) {
    this.url = url;
    this.#close = close;
    registerSecret('account', ACCOUNT);
  }

  /** @param path in front of its pages: a long one makes long links */
  static async start(path = ''): Promise<OAuthIssuer> {
    let issuer: OAuthIssuer | null = null;
    const server = createServer((request, response) => {
      void issuer?.answer(request, response);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address() as AddressInfo;
    issuer = new OAuthIssuer(`http://127.0.0.1:${address.port}${path}`, async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    });
    return issuer;
  }

  /** Environment of a service that signs in here. */
  get env(): Record<string, string> {
    return { MAGI_TERM_OAUTH_ISSUER: this.url, MAGI_TERM_OAUTH_CALLBACK_PORT: '0' };
  }

  close(): Promise<void> {
    return this.#close();
  }

  /** Answers what is held. */
  release(): void {
    this.token = 'ok';
    for (const go of this.#held.splice(0)) go();
  }

  /** Resolves when that many token requests have come. */
  async asked(times: number): Promise<void> {
    while (this.tokenRequests.length < times)
      await new Promise<void>((resolve) => this.#watchers.push(resolve));
  }

  /** What the browser is sent to when the person agrees. */
  async agree(url: string, change: Record<string, string> = {}): Promise<string> {
    registerLink(url);
    const response = await fetch(url, { redirect: 'manual' });
    if (response.status !== 302) throw new Error(`authorize said ${response.status}`);
    const location = new URL(response.headers.get('location') ?? '');
    for (const [name, value] of Object.entries(change)) location.searchParams.set(name, value);
    return location.href;
  }

  /** Tokens as this issuer gives them, for a store that has some already. */
  issue(): { access: string; refresh: string } {
    const access = this.#secret('access token', jwt({ exp: farAway(), ...claims() }));
    const refresh = this.#secret('refresh token', `refresh-${randomBytes(12).toString('hex')}`);
    this.#refreshTokens.add(refresh);
    return { access, refresh };
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '', this.url);
    const base = new URL(this.url).pathname.replace(/\/$/, '');
    if (url.pathname === `${base}/oauth/authorize`) await this.#authorize(url, request, response);
    else if (request.method === 'POST' && url.pathname === `${base}/oauth/token`)
      await this.#token(await bodyOf(request), response);
    else response.writeHead(404).end();
  }

  async #authorize(
    { searchParams: query }: URL,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const need = ['client_id', 'redirect_uri', 'state', 'code_challenge', 'scope'];
    const bad = need.some((name) => (query.get(name) ?? '') === '');
    if (bad || query.get('response_type') !== 'code' || query.get('code_challenge_method') !== 'S256') {
      response.writeHead(400).end();
      return;
    }
    const isPressed = request.method === 'POST';
    if (!isPressed && request.headers.accept?.includes('text/html') === true) {
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(CONSENT);
      return;
    }
    const refuses = isPressed && (await bodyOf(request)).decision === 'refuse';
    const state = this.#secret('state', query.get('state') ?? '');
    const location = new URL(query.get('redirect_uri') ?? '');
    const answer = refuses ? { error: 'access_denied', state } : { code: this.#codeFor(query), state };
    location.search = new URLSearchParams(answer).toString();
    response.writeHead(302, { location: location.href }).end();
  }

  #codeFor(query: URLSearchParams): string {
    const code = this.#secret('code', `code_${randomBytes(12).toString('hex')}.x-Y`);
    this.#grants.set(code, {
      challenge: query.get('code_challenge') ?? '',
      clientId: query.get('client_id') ?? '',
      redirectUri: query.get('redirect_uri') ?? '',
    });
    return code;
  }

  async #token(form: TokenRequest, response: ServerResponse): Promise<void> {
    this.tokenRequests.push(form);
    if (form.code_verifier !== undefined) this.#secret('verifier', form.code_verifier);
    for (const watcher of this.#watchers.splice(0)) watcher();
    const mood = this.token;
    if (mood === 'silent') return;
    if (mood === 'held') await new Promise<void>((resolve) => this.#held.push(resolve));
    if (mood === 'error') json(response, 400, { error: 'invalid_grant', error_description: 'made-up words' });
    else if (mood === 'garbage') json(response, 200, { hello: 'made-up words' });
    else if (mood === 'huge') json(response, 200, { access_token: 'x'.repeat(400_000) });
    else this.#grant(form, response, mood);
  }

  #grant(form: TokenRequest, response: ServerResponse, mood: TokenMood): void {
    const isGood = form.grant_type === 'refresh_token' ? this.#takeRefresh(form) : this.#takeCode(form);
    if (!isGood) {
      json(response, 400, { error: 'invalid_grant' });
      return;
    }
    this.#count += 1;
    const claim = mood === 'no-account' ? {} : claims();
    const exp = farAway();
    const access = this.#secret('access token', jwt({ exp, n: this.#count, ...claim }));
    const times = { iat: exp - 3_600, exp };
    const iss = mood === 'foreign-token' ? 'https://elsewhere.example' : this.url;
    const idToken = this.#secret(
      'ID token',
      jwt({ iss, aud: form.client_id, sub: 'person', ...times, ...claim }),
    );
    const isNew = form.grant_type !== 'refresh_token' || this.rotates;
    json(response, 200, {
      access_token: access,
      id_token: idToken,
      ...(isNew ? { refresh_token: this.issue().refresh } : {}),
      ...(this.expiresIn === null ? {} : { expires_in: this.expiresIn }),
      ...(this.tokenType === null ? {} : { token_type: this.tokenType }),
    });
  }

  #takeCode(form: TokenRequest): boolean {
    const grant = this.#grants.get(form.code ?? '');
    this.#grants.delete(form.code ?? '');
    const challenge = createHash('sha256')
      .update(form.code_verifier ?? '')
      .digest('base64url');
    return (
      grant !== undefined &&
      form.grant_type === 'authorization_code' &&
      grant.challenge === challenge &&
      grant.redirectUri === form.redirect_uri &&
      grant.clientId === form.client_id
    );
  }

  #takeRefresh(form: TokenRequest): boolean {
    const token = form.refresh_token ?? '';
    return this.rotates ? this.#refreshTokens.delete(token) : this.#refreshTokens.has(token);
  }

  #secret(kind: SecretKind, value: string): string {
    registerSecret(kind, value);
    this.secrets.push(value);
    return value;
  }
}

function claims(): object {
  return { 'https://api.openai.com/auth': { chatgpt_account_id: ACCOUNT } };
}

/** Unix time, s. */
function farAway(): number {
  return Math.floor(Date.now() / 1_000) + 3_600;
}

function jwt(payload: object): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'RS256', typ: 'JWT' })}.${part(payload)}.${randomBytes(16).toString('base64url')}`;
}

async function bodyOf(request: IncomingMessage): Promise<TokenRequest> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return Object.fromEntries(new URLSearchParams(text));
}

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

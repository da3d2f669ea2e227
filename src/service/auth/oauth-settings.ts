/**
 * Where and as whom to sign in to Codex (PROTOCOL.md, "Authentication").
 * The environment of the service process may name another issuer, token endpoint and callback port: for tests, which
 * sign in to an issuer of their own on this machine. Anything but this machine must be https.
 */
import { isIP } from 'node:net';

export interface OAuthSettings {
  readonly issuer: string;
  readonly authorizationEndpoint: string;
  readonly tokenEndpoint: string;
  readonly clientId: string;
  readonly scope: string;
  /** Beyond what OAuth asks for. */
  readonly parameters: Readonly<Record<string, string>>;
  /** 0 lets the system choose. */
  readonly callbackPort: number;
  /** The issuer is on this machine and speaks http. */
  readonly insecure: boolean;
}

export type OAuthSettingsRead =
  | { readonly ok: true; readonly settings: OAuthSettings }
  | { readonly ok: false; readonly reason: string };

const ISSUER = 'https://auth.openai.com';
/** The public client of the Codex command line; its redirect is fixed to this port and path. */
const CLIENT_ID = 'app_EMoamEEZ73f0CkXaXp7hrann';
const CALLBACK_PORT = 1455;
export const CALLBACK_PATH = '/auth/callback';
const SCOPE = 'openid profile email offline_access';
const PARAMETERS = {
  id_token_add_organizations: 'true',
  codex_cli_simplified_flow: 'true',
  originator: 'magi-term',
};
const HIGHEST_PORT = 65_535;

export function oauthSettings(env: NodeJS.ProcessEnv): OAuthSettingsRead {
  const issuer = (env.MAGI_TERM_OAUTH_ISSUER || ISSUER).replace(/\/+$/, '');
  const tokenEndpoint = env.MAGI_TERM_OAUTH_TOKEN_ENDPOINT || `${issuer}/oauth/token`;
  const callbackPort = Number(env.MAGI_TERM_OAUTH_CALLBACK_PORT || CALLBACK_PORT);
  const security = [issuer, tokenEndpoint].map(securityOf);
  if (security.includes(null))
    return { ok: false, reason: 'The OAuth issuer must be https, or http on this machine.' };
  if (!Number.isInteger(callbackPort) || callbackPort < 0 || callbackPort > HIGHEST_PORT)
    return { ok: false, reason: 'MAGI_TERM_OAUTH_CALLBACK_PORT is not a port.' };
  const settings = {
    issuer,
    authorizationEndpoint: `${issuer}/oauth/authorize`,
    tokenEndpoint,
    clientId: CLIENT_ID,
    scope: SCOPE,
    parameters: PARAMETERS,
    callbackPort,
    insecure: security.includes('loopback'),
  };
  return { ok: true, settings };
}

/** The issuer knows this name of the loopback address and no other. */
export function redirectUri(port: number): string {
  return `http://localhost:${port === 0 ? CALLBACK_PORT : port}${CALLBACK_PATH}`;
}

function securityOf(address: string): 'tls' | 'loopback' | null {
  const url = URL.parse(address);
  if (url === null || url.username !== '' || url.search !== '' || url.hash !== '') return null;
  if (url.protocol === 'https:') return 'tls';
  return url.protocol === 'http:' && isLoopback(url.hostname) ? 'loopback' : null;
}

/** Whether a host is this machine. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || (isIP(host) === 4 && host.startsWith('127.'));
}

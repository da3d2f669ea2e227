/**
 * The account that Codex turns work with. Invariants: access token and account go to the vendor's own address or to
 * this machine, and nowhere else; the SDK never sees the token, only a stand-in that names the account.
 */
import { isIP } from 'node:net';

export interface CodexAccount {
  readonly access: string;
  readonly accountId: string;
}

const VENDOR = 'chatgpt.com';
const CLAIM = 'https://api.openai.com/auth';
/** What the API needs beside the account. */
const PASSED = new Set([
  'accept',
  'content-encoding',
  'content-type',
  'openai-beta',
  'session-id',
  'user-agent',
  'x-client-request-id',
]);

/** The SDK insists on a token that it can take apart (and takes only some of the real ones apart). */
export function standInToken(accountId: string): string {
  const claims = Buffer.from(JSON.stringify({ [CLAIM]: { chatgpt_account_id: accountId } })).toString(
    'base64',
  );
  return `e30.${claims}.stand-in`;
}

/** @throws when the address is neither the vendor's nor on this machine */
export function codexHeaders(address: string, headers: Headers, account: CodexAccount): Headers {
  if (!isTrusted(address)) throw new Error('Codex credentials do not go to this address.');
  const passed = new Headers([...headers].filter(([name]) => PASSED.has(name)));
  passed.set('authorization', `Bearer ${account.access}`);
  passed.set('chatgpt-account-id', account.accountId);
  passed.set('originator', 'magi-term');
  return passed;
}

function isTrusted(address: string): boolean {
  const url = URL.parse(address);
  if (url === null) return false;
  const { hostname, protocol } = url;
  if (protocol === 'https:' && hostname === VENDOR) return true;
  const isHere =
    hostname === 'localhost' || hostname === '[::1]' || (isIP(hostname) === 4 && hostname.startsWith('127.'));
  return isHere && (protocol === 'http:' || protocol === 'https:');
}

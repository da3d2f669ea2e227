/** What a person pastes at the end of a sign-in (PROTOCOL.md, "Authentication"): the address the browser ended at, or a code. */
import { CALLBACK_PATH } from './oauth-settings.ts';

export interface CallbackInput {
  /** A code without a state: it belongs to the attempt because it was given to it. */
  readonly bare: boolean;
  readonly parameters: URLSearchParams;
}

const CODE = /^[\x21-\x22\x24-\x7e]{1,4096}$/;

/** Null when it is neither. The state is for the caller to check. */
export function readCallbackInput(input: string): CallbackInput | null {
  const text = input.trim();
  if (looksLikeAddress(text)) return readAddress(text);
  const [code = '', state, ...more] = text.split('#');
  if (!CODE.test(code) || more.length > 0) return null;
  if (state === undefined) return { bare: true, parameters: new URLSearchParams({ code }) };
  return { bare: false, parameters: new URLSearchParams({ code, state }) };
}

/** Browsers leave the scheme out when they show an address. */
function looksLikeAddress(text: string): boolean {
  return text.includes('://') || text.includes(`${CALLBACK_PATH}?`);
}

function readAddress(text: string): CallbackInput | null {
  const url = URL.parse(text.includes('://') ? text : `http://${text}`);
  return url?.pathname === CALLBACK_PATH ? { bare: false, parameters: url.searchParams } : null;
}

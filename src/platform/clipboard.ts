/**
 * The clipboard: of this machine where the person sits at it, of their terminal (OSC 52) where they do not.
 * Invariants: what resolves to `copied` was confirmed by a clipboard program; a program is waited for at most 2 s;
 * a text too long for the terminal is not sent at all, because a terminal keeps none or only its start.
 */
import type { Environment } from './terminal-abilities.ts';

export type CopyOutcome =
  | { readonly kind: 'copied' }
  /** Whether the terminal took it cannot be known. */
  | { readonly kind: 'sent' }
  /** `limit`: bytes that a terminal takes. */
  | { readonly kind: 'too-long'; readonly limit: number };

export interface ClipboardParts {
  readonly env: Environment;
  readonly platform: NodeJS.Platform;
  /** The one who writes to the terminal: between two pictures. */
  readonly write: (bytes: string) => void;
  /** Gives a text to a clipboard program. */
  readonly helper: (text: string) => Promise<void>;
}

/** Terminals take at most 100,000 bytes in one sequence, and base64 makes four of three. */
export const OSC52_LIMIT_BYTES = 74_000;
const HELPER_PATIENCE_MS = 2_000;
/** GNU screen takes longer control strings only in pieces. */
const SCREEN_PIECE = 500;

export async function copyToClipboard(text: string, parts: ClipboardParts): Promise<CopyOutcome> {
  if (isHere(parts.env, parts.platform) && (await helped(text, parts.helper))) return { kind: 'copied' };
  if (Buffer.byteLength(text) > OSC52_LIMIT_BYTES) return { kind: 'too-long', limit: OSC52_LIMIT_BYTES };
  parts.write(osc52(text, parts.env));
  return { kind: 'sent' };
}

/** The sequence that hands a text to the terminal's clipboard, in the wrapping of tmux or screen where these are between. */
export function osc52(text: string, env: Environment): string {
  const sequence = `\u001b]52;c;${Buffer.from(text, 'utf8').toString('base64')}\u0007`;
  if (isSet(env.TMUX)) return `\u001bPtmux;${sequence.replaceAll('\u001b', '\u001b\u001b')}\u001b\\`;
  if (!isSet(env.STY)) return sequence;
  const pieces = sequence.match(new RegExp(`[^]{1,${SCREEN_PIECE}}`, 'g')) ?? [];
  return pieces.map((piece) => `\u001bP${piece}\u001b\\`).join('');
}

/** Gives a text to the clipboard program of the platform; loaded on use, for it is slow to load. */
export async function clipboardProgram(text: string): Promise<void> {
  const { default: clipboard } = await import('clipboardy');
  await clipboard.write(text);
}

/** Whether the clipboard of this machine is the one that the person would paste from. */
function isHere(env: Environment, platform: NodeJS.Platform): boolean {
  if ([env.SSH_CONNECTION, env.SSH_TTY, env.TMUX, env.STY].some(isSet)) return false;
  return platform !== 'linux' || isSet(env.DISPLAY) || isSet(env.WAYLAND_DISPLAY);
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== '';
}

async function helped(text: string, helper: ClipboardParts['helper']): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<boolean>((done) => {
    timer = setTimeout(() => done(false), HELPER_PATIENCE_MS);
  });
  const done = helper(text).then(
    () => true,
    () => false,
  );
  const isCopied = await Promise.race([done, patience]);
  clearTimeout(timer);
  return isCopied;
}

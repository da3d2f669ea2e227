/**
 * The image on the system's clipboard, through the helper that the system has.
 *
 * Invariants:
 * - no helper is waited for longer than HELPER_MS, and none may say more than MAX_BYTES;
 * - a copy lies in a private folder of its own below the system's folder for passing files.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const HELPER_MS = 2_000;
const MAX_BYTES = 10_485_760;
const NAME = 'clipboard.png';

export type ClipboardImage =
  | { readonly kind: 'image'; readonly bytes: Buffer }
  /** There is a helper, and no image. */
  | { readonly kind: 'none' }
  | { readonly kind: 'no-helper' };

interface Helper {
  readonly program: string;
  readonly args: readonly string[];
  readonly read: (output: Buffer) => Buffer | null;
}

const PNG_START = Buffer.from('\u0089PNG\r\n\u001a\n', 'latin1');

function plain(output: Buffer): Buffer | null {
  return output.subarray(0, PNG_START.length).equals(PNG_START) ? output : null;
}

/** `«data PNGf89504E47…»`, as AppleScript writes bytes. */
function appleScript(output: Buffer): Buffer | null {
  const hex = /«data PNGf([0-9A-F]+)»/.exec(output.toString('utf8'))?.[1];
  return hex === undefined ? null : plain(Buffer.from(hex, 'hex'));
}

/** The image, asked for from one helper after the other. */
export async function clipboardImage(
  env: Readonly<Record<string, string | undefined>>,
  platform: NodeJS.Platform,
): Promise<ClipboardImage> {
  let hasHelper = false;
  for (const { args, program, read } of helpersOf(env, platform)) {
    const output = await outputOf(program, args, env);
    if (output === 'missing') continue;
    hasHelper = true;
    const bytes = output === null ? null : read(output);
    if (bytes !== null) return { kind: 'image', bytes };
  }
  return hasHelper ? { kind: 'none' } : { kind: 'no-helper' };
}

function helpersOf(
  env: Readonly<Record<string, string | undefined>>,
  platform: NodeJS.Platform,
): readonly Helper[] {
  if (platform === 'darwin')
    return [
      { program: 'pngpaste', args: ['-'], read: plain },
      { program: 'osascript', args: ['-e', 'get the clipboard as «class PNGf»'], read: appleScript },
    ];
  const wayland: Helper = { program: 'wl-paste', args: ['--no-newline', '--type', 'image/png'], read: plain };
  const x11: Helper = {
    program: 'xclip',
    args: ['-selection', 'clipboard', '-target', 'image/png', '-out'],
    read: plain,
  };
  return [
    ...((env.WAYLAND_DISPLAY ?? '') === '' ? [] : [wayland]),
    ...((env.DISPLAY ?? '') === '' ? [] : [x11]),
  ];
}

/** Null when it failed: most helpers fail when there is no image. */
function outputOf(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<Buffer | 'missing' | null> {
  const options = { encoding: 'buffer', env, maxBuffer: MAX_BYTES * 2, timeout: HELPER_MS } as const;
  return new Promise((settle) => {
    execFile(program, [...args], { ...options, killSignal: 'SIGKILL' }, (error, stdout) => {
      if (error === null) settle(stdout);
      else settle('code' in error && error.code === 'ENOENT' ? 'missing' : null);
    });
  });
}

/** Keeps a copy that only the owner can read; its absolute path. @throws when there is no room */
export function keepImage(bytes: Buffer): string {
  const path = join(mkdtempSync(join(tmpdir(), 'magi-term-image-')), NAME);
  writeFileSync(path, bytes, { mode: 0o600, flag: 'wx' });
  return path;
}

/** Removes a kept copy and its folder. */
export function dropImage(path: string): void {
  if (dirname(path).startsWith(join(tmpdir(), 'magi-term-image-')))
    rmSync(dirname(path), { recursive: true, force: true });
}

/**
 * The files below a folder, told while they are found, by a process of its own: ripgrep, which knows `.gitignore`.
 *
 * Invariants:
 * - names that no draft could hold (not UTF-8, control characters) are left out;
 * - after stop() nothing more is told, and the process is ended.
 */
import { spawn } from 'node:child_process';

export interface FilesWalk {
  /** Of the walking process; null when there is none. */
  readonly pid: number | null;
  /** Settles when all files were told, or when they cannot be. */
  readonly ended: Promise<'complete' | 'failed'>;
  readonly stop: () => void;
}

const FLAGS = ['--no-config', '--files', '--null', '--no-messages', '--no-require-git'];
/** Control characters and what stands for bytes that are no text. */
const UNSPEAKABLE = /[\u0000-\u001f\u007f-\u009f\ufffd]/;

/** Walks a folder; `onFiles` gets paths relative to it, in the order in which they are found. */
export async function walkFiles(
  folder: string,
  onFiles: (paths: readonly string[]) => void,
): Promise<FilesWalk> {
  const program = await ripgrepPath();
  if (program === null) return { pid: null, ended: Promise.resolve('failed'), stop: () => undefined };
  const child = spawn(program, FLAGS, { cwd: folder, stdio: ['ignore', 'pipe', 'ignore'] });
  let rest: Buffer = Buffer.alloc(0);
  let stopped = false;
  child.stdout.on('data', (chunk: Buffer) => {
    const end = chunk.lastIndexOf(0);
    if (stopped) return;
    if (end < 0) {
      rest = Buffer.concat([rest, chunk]);
      return;
    }
    const whole = Buffer.concat([rest, chunk.subarray(0, end)]);
    rest = Buffer.from(chunk.subarray(end + 1));
    onFiles(
      whole
        .toString('utf8')
        .split('\0')
        .filter((name) => name !== '' && !UNSPEAKABLE.test(name)),
    );
  });
  const ended = new Promise<'complete' | 'failed'>((settle) => {
    child.on('error', () => settle('failed'));
    // 1: there is no file; 2: some of them could not be read, the others were told.
    child.on('close', (code) => settle(code === null ? 'failed' : 'complete'));
  });
  return {
    pid: child.pid ?? null,
    ended,
    stop: () => {
      stopped = true;
      child.kill('SIGKILL');
    },
  };
}

/** Loaded on use: the package finds the binary for this platform when it is imported, and throws without one. */
async function ripgrepPath(): Promise<string | null> {
  try {
    const { rgPath } = await import('@vscode/ripgrep');
    return rgPath;
  } catch {
    return null;
  }
}

import { spawn } from 'node:child_process';

/** How one ripgrep run ended. */
export interface RipgrepResult {
  readonly stdout: Buffer;
  readonly stderr: string;
  /** 0 found, 1 nothing found, 2 fault; null when stopped because the output was full. */
  readonly code: number | null;
}

export interface RipgrepOptions {
  readonly cwd: string;
  readonly signal: AbortSignal;
  /** The run is stopped when it wrote this many bytes. */
  readonly maxBytes: number;
}

const MAX_STDERR = 4096;

/** Runs ripgrep without any configuration of the user. Rejects when it is missing or the signal is aborted. */
export async function runRipgrep(args: readonly string[], options: RipgrepOptions): Promise<RipgrepResult> {
  const program = await ripgrepPath();
  return new Promise((resolve, reject) => {
    const child = spawn(program, ['--no-config', ...args], {
      cwd: options.cwd,
      stdio: ['ignore', 'pipe', 'pipe'],
      signal: options.signal,
      killSignal: 'SIGKILL',
    });
    const parts: Buffer[] = [];
    let size = 0;
    let full = false;
    let stderr = '';
    child.stdout.on('data', (chunk: Buffer) => {
      if (full) return;
      parts.push(chunk);
      size += chunk.length;
      full = size >= options.maxBytes;
      if (full) child.kill('SIGKILL');
    });
    child.stderr.on('data', (chunk: Buffer) => {
      if (stderr.length < MAX_STDERR) stderr += chunk.toString('utf8');
    });
    child.on('error', reject);
    child.on('close', (code) => resolve({ stdout: Buffer.concat(parts), stderr, code: full ? null : code }));
  });
}

/** Loaded on use: the package finds the binary for this platform when it is imported, and throws without one. */
async function ripgrepPath(): Promise<string> {
  try {
    const { rgPath } = await import('@vscode/ripgrep');
    return rgPath;
  } catch {
    throw new Error('Search is not available: ripgrep is not installed for this platform.');
  }
}

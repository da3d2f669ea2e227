/** File systems and limits of a test's own. Only root may mount, and not even root everywhere. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { report } from './report.ts';

/** A program of the system. @throws when it is missing or fails */
function run(program: string, ...args: readonly string[]): void {
  execFileSync(program, args, { stdio: 'pipe' });
}

export function mountTmpfs(folder: string, options: string): void {
  run('mount', '-t', 'tmpfs', '-o', `mode=0700,${options}`, 'tmpfs', folder);
}

export function unmount(folder: string): void {
  run('umount', folder);
}

/** Lets the files of a process grow as they like. */
export function unlimitFiles(pid: number): void {
  run('prlimit', '--pid', String(pid), '--fsize=unlimited');
}

/** Whether limits of running processes can be changed here; if not, says that `fault` is left out, and why. */
export function canUnlimit(fault: string): boolean {
  try {
    run('prlimit', '--version');
    return true;
  } catch {
    report(fault, 'skipped: it needs prlimit');
    return false;
  }
}

/** Whether a file system can be mounted here; if not, says that `fault` is left out, and why. */
export function canMount(fault: string): boolean {
  const reason = whyNot();
  if (reason !== null) report(fault, `skipped: ${reason}`);
  return reason === null;
}

function whyNot(): string | null {
  if (process.platform !== 'linux') return 'it needs a tmpfs of Linux';
  if (process.geteuid?.() !== 0) return 'only root may mount a tmpfs';
  const folder = mkdtempSync(join(tmpdir(), 'magi-term-mount-'));
  try {
    mountTmpfs(folder, 'size=64k');
    unmount(folder);
    return null;
  } catch {
    return 'mounting a tmpfs is not allowed here';
  } finally {
    rmdirSync(folder);
  }
}

/**
 * Commands that can change nothing but the workspace and reach no network.
 * Invariants: a command that was to run confined never runs otherwise; a sandbox counts as there only after a
 * trial run; the program that confines is never taken from the workspace.
 */
import { spawnSync } from 'node:child_process';
import { accessSync, constants, realpathSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { bubblewrap } from './bubblewrap.ts';
import type { Confine, SandboxPlace } from './confine.ts';
import { isWithin } from './paths.ts';
import { seatbelt } from './seatbelt.ts';

export type SandboxKind = 'bubblewrap' | 'sandbox-exec';

export type Sandbox =
  | { readonly kind: SandboxKind; readonly confine: Confine }
  /** `missing`: not installed; `broken`: the system does not let it work; `unknown`: none for this platform. */
  | { readonly kind: null; readonly reason: 'missing' | 'broken' | 'unknown' };

const TRIAL_MS = 5000;
const SEATBELT = '/usr/bin/sandbox-exec';

/** The kind of sandbox that works here, for people. Tries it, so it takes some milliseconds. */
export function sandboxKind(workspace: string, env: NodeJS.ProcessEnv = process.env): SandboxKind | null {
  return findSandbox({ workspace, env, platform: process.platform }).kind;
}

/** Looks for a sandbox and tries it. Never throws. */
export function findSandbox(place: SandboxPlace): Sandbox {
  switch (place.platform) {
    case 'linux': {
      const program = findProgram('bwrap', place);
      if (program === null) return { kind: null, reason: 'missing' };
      return tried({ kind: 'bubblewrap', confine: bubblewrap(program, place) }, place);
    }
    case 'darwin':
      if (!isProgram(SEATBELT)) return { kind: null, reason: 'missing' };
      return tried({ kind: 'sandbox-exec', confine: seatbelt(SEATBELT, place) }, place);
    default:
      return { kind: null, reason: 'unknown' };
  }
}

/** In a container the system may refuse what a sandbox needs: only a run tells. */
function tried(sandbox: Extract<Sandbox, { confine: Confine }>, { env, workspace }: SandboxPlace): Sandbox {
  try {
    const command = sandbox.confine('/bin/sh', ':');
    try {
      const { status } = spawnSync(command.program, [...command.args], {
        cwd: workspace,
        env: { ...env, ...command.env },
        stdio: 'ignore',
        timeout: TRIAL_MS,
        killSignal: 'SIGKILL',
      });
      return status === 0 ? sandbox : { kind: null, reason: 'broken' };
    } finally {
      command.release();
    }
  } catch {
    return { kind: null, reason: 'broken' };
  }
}

/** The first one in PATH that does not belong to the workspace, where a model may write. */
function findProgram(name: string, { env, workspace }: SandboxPlace): string | null {
  for (const folder of (env.PATH ?? '').split(delimiter)) {
    const program = join(folder, name);
    if (isAbsolute(folder) && isProgram(program) && !belongsTo(program, workspace)) return program;
  }
  return null;
}

function belongsTo(program: string, workspace: string): boolean {
  try {
    const root = realpathSync(workspace);
    return isWithin(program, workspace) || isWithin(realpathSync(program), root);
  } catch {
    return true;
  }
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The real daemon: taken from the user's cache, built there by cargo when it is missing. */
import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { DAEMON_VERSION } from './terms.ts';

export type Program =
  | { readonly kind: 'found'; readonly path: string }
  /** It cannot be made here. */
  | { readonly kind: 'absent'; readonly sentence: string }
  | { readonly kind: 'failed'; readonly sentence: string };

/** Takes minutes when it must be built; says so on the console. */
export function provideProgram(): Program {
  const root = join(cacheFolder(), 'magi-term', `magi-code-${DAEMON_VERSION}`);
  const path = join(root, 'bin', 'magi-code');
  if (hasVersion(path)) return { kind: 'found', path };
  if (run('cargo', ['--version'], 'ignore').status !== 0)
    return {
      kind: 'absent',
      sentence: `magi-code ${DAEMON_VERSION} is not in ${root}, and there is no cargo to build it with.`,
    };
  console.log(`Building magi-code ${DAEMON_VERSION} into ${root}: about 13 minutes on two cores, only once.`);
  build(root);
  if (hasVersion(path)) return { kind: 'found', path };
  return { kind: 'failed', sentence: `cargo did not build magi-code ${DAEMON_VERSION}.` };
}

/** What cargo compiled on the way is removed; only the program stays. An interrupted build is continued the next time. */
function build(root: string): void {
  mkdirSync(root, { recursive: true });
  const target = join(root, 'target');
  try {
    run(
      'cargo',
      ['install', 'magi-code', '--version', DAEMON_VERSION, '--locked', '--root', root],
      'inherit',
      {
        CARGO_TARGET_DIR: target,
      },
    );
  } finally {
    rmSync(target, { recursive: true, force: true });
  }
}

function cacheFolder(): string {
  const named = process.env.XDG_CACHE_HOME ?? '';
  return isAbsolute(named) ? named : join(homedir(), '.cache');
}

/** False also when there is nothing to run. */
function hasVersion(path: string): boolean {
  const { status, stdout } = run(path, ['--version'], 'pipe');
  return status === 0 && stdout.trim().split(' ').at(-1) === DAEMON_VERSION;
}

function run(
  command: string,
  args: readonly string[],
  stdio: 'ignore' | 'inherit' | 'pipe',
  env: Readonly<Record<string, string>> = {},
): SpawnSyncReturns<string> {
  return spawnSync(command, args, { stdio, encoding: 'utf8', env: { ...process.env, ...env } });
}

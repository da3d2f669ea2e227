import { existsSync, realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, sep } from 'node:path';
import { endpointPaths, resolvePaths } from '../../platform/paths.ts';

/** True for the folder itself and everything below it. */
export function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

/**
 * Places whose sockets and keys lead out of a sandbox although nothing can be written there: a socket needs no
 * writable file system. Only those that exist; real paths.
 */
export function waysOut(env: NodeJS.ProcessEnv): readonly string[] {
  const home = env.HOME ?? homedir();
  const inHome = ['.ssh', '.gnupg', '.docker', '.colima'].map((name) => join(home, name));
  return existing(['/run', '/var/tmp', endpointPaths('').directory, ...inHome]).filter(isFolder);
}

/** What in a writable workspace must stay as it is: it runs, or rules, outside of the sandbox. */
export function fixedInside(workspace: string, env: NodeJS.ProcessEnv): readonly string[] {
  const git = ['.git/hooks', '.git/config'].map((name) => join(workspace, name));
  const own = ownFolders(env).filter((path) => isWithin(path, workspace) && path !== workspace);
  return existing([...git, ...own]);
}

function ownFolders(env: NodeJS.ProcessEnv): readonly string[] {
  try {
    const { settingsFile, stateRoot } = resolvePaths(env);
    return [dirname(settingsFile), stateRoot];
  } catch {
    return [];
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function existing(paths: readonly string[]): readonly string[] {
  const real = paths.flatMap((path) => {
    try {
      return existsSync(path) ? [realpathSync(path)] : [];
    } catch {
      return [];
    }
  });
  return [...new Set(real)];
}

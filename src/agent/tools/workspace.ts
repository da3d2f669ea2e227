import { lstat, readlink, realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';

/**
 * Invariant: a path counts as inside only after every symbolic link on its way was followed,
 * also when its last parts do not exist yet.
 */

/** Where a path from the model really points. */
export interface WorkspacePath {
  /** Real absolute path: no links on the way to the nearest existing parent. */
  readonly real: string;
  /** For people and the model: relative to the workspace when inside, absolute otherwise. */
  readonly label: string;
  readonly inside: boolean;
}

const MAX_LINKS = 40;

/** Resolves a path against the workspace. Throws when links go round in circles or a parent is unreadable. */
export async function resolveInWorkspace(workspace: string, path: string): Promise<WorkspacePath> {
  const root = await realpath(workspace);
  const real = await realOfNearest(resolve(root, path), MAX_LINKS);
  const inside = real === root || real.startsWith(root.endsWith(sep) ? root : root + sep);
  return { real, inside, label: inside ? relative(root, real) || '.' : real };
}

async function realOfNearest(path: string, links: number): Promise<string> {
  if (links === 0) throw new Error('Too many symbolic links.');
  try {
    return await realpath(path);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  const parent = dirname(path);
  if (parent === path) return path;
  const realParent = await realOfNearest(parent, links);
  const here = join(realParent, basename(path));
  const target = await danglingTarget(here);
  return target === null ? here : realOfNearest(resolve(realParent, target), links - 1);
}

/** The target of a link that points to something missing, or null when there is no such link. */
async function danglingTarget(path: string): Promise<string | null> {
  try {
    return (await lstat(path)).isSymbolicLink() ? await readlink(path) : null;
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/** True for errors that mean: there is nothing at this path. */
export function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

/** Cheap label of a path for a title: no disk access, so links are not followed. */
export function pathTitle(workspace: string, path: string): string {
  const inner = relative(workspace, resolve(workspace, path));
  if (inner === '') return '.';
  return inner.startsWith('..') || isAbsolute(inner) ? path : inner;
}

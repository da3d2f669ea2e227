/** Canonical paths of folder and state root: the identity of a service (PROTOCOL.md, "Endpoint"). */
import { realpathSync, statSync } from 'node:fs';
import { makeFolder } from './folder.ts';

export type Canonical =
  | { readonly ok: true; readonly path: string }
  | { readonly ok: false; readonly reason: string };

/** The folder must exist; every symlink in its path is resolved. */
export function canonicalWorkspace(path: string): Canonical {
  let real: string;
  try {
    real = realpathSync.native(path);
    if (!statSync(real).isDirectory()) return { ok: false, reason: `${path} is not a folder.` };
  } catch (error) {
    return { ok: false, reason: `The folder ${path} cannot be opened: ${codeOf(error)}.` };
  }
  return checkUtf8(real);
}

/** Creates the state root, readable by its owner only, when it is missing. */
export function canonicalStateRoot(path: string): Canonical {
  try {
    makeFolder(path);
    return checkUtf8(realpathSync.native(path));
  } catch (error) {
    return { ok: false, reason: `The state folder ${path} cannot be created: ${codeOf(error)}.` };
  }
}

/** Paths travel in JSON: one that is not UTF-8 cannot. */
function checkUtf8(path: string): Canonical {
  if (path.isWellFormed() && !path.includes('\ufffd')) return { ok: true, path };
  return { ok: false, reason: `The name of ${path} is not valid UTF-8.` };
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}

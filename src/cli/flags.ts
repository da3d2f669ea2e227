/** Flags that every command shares, and what they mean on this machine. */
import { resolve } from 'node:path';
import { canonicalStateRoot, canonicalWorkspace } from '../platform/canonical.ts';
import { resolvePaths } from '../platform/paths.ts';

export interface GlobalFlags {
  readonly workspace: string;
  readonly stateRoot?: string;
  readonly session: string;
  /** Absolute path of a magi-code to use instead of the embedded service. */
  readonly service?: string;
  /** Path of the socket of a service that runs already. */
  readonly socket?: string;
  readonly color: boolean;
  /** Text is only added. */
  readonly screenReader?: boolean;
  readonly detached?: boolean;
}

export const EXIT = { ok: 0, failed: 1, usage: 2, unreachable: 3, signedOut: 4, cancelled: 130 } as const;

/** Whether another service than this program's own is meant, or one that was started elsewhere. */
export function isElsewhere({ service, socket }: GlobalFlags): boolean {
  return service !== undefined || socket !== undefined;
}

/** A mistake on the command line: its message names the next step. */
export class UsageError extends Error {}

/** Where one program run works. All paths are canonical. */
export interface Place {
  readonly workspace: string;
  readonly stateRoot: string;
  readonly settingsFile: string;
}

/**
 * The place that the flags and the environment name. Creates the state root.
 * @throws UsageError when the folder does not exist or the state root cannot be made
 */
export function placeOf(flags: GlobalFlags): Place {
  const stateFlag = flags.stateRoot === undefined ? undefined : resolve(flags.stateRoot);
  const paths = resolvePaths(process.env, stateFlag);
  const workspace = canonicalWorkspace(resolve(flags.workspace));
  if (!workspace.ok) throw new UsageError(`${workspace.reason} Choose a folder with --workspace.`);
  const stateRoot = canonicalStateRoot(paths.stateRoot);
  if (!stateRoot.ok)
    throw new UsageError(
      `${stateRoot.reason} Set MAGI_TERM_HOME or --state-root to a folder that can be written.`,
    );
  return { workspace: workspace.path, stateRoot: stateRoot.path, settingsFile: paths.settingsFile };
}

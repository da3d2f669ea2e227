/** Where things live: state, settings and the private folder of sockets. Reads the environment, touches no file. */
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

export interface Paths {
  /** Sessions, outbox and logs. */
  readonly stateRoot: string;
  /** The settings file. */
  readonly settingsFile: string;
}

export class PathError extends Error {}

/**
 * `MAGI_TERM_HOME` puts everything in one folder; otherwise the XDG folders are used.
 * @throws PathError when a variable holds a relative path
 */
export function resolvePaths(env: NodeJS.ProcessEnv, stateRootFlag?: string): Paths {
  const home = env.MAGI_TERM_HOME;
  const state = home ?? join(xdg(env, 'XDG_STATE_HOME', '.local/state'), 'magi-term');
  const config = home ?? join(xdg(env, 'XDG_CONFIG_HOME', '.config'), 'magi-term');
  const stateRoot = stateRootFlag ?? state;
  for (const path of [stateRoot, config]) {
    if (!isAbsolute(path))
      throw new PathError(`${path} is not an absolute path: set MAGI_TERM_HOME or --state-root to one.`);
  }
  return { stateRoot, settingsFile: join(config, 'settings.json') };
}

function xdg(env: NodeJS.ProcessEnv, variable: string, fallback: string): string {
  const value = env[variable];
  return value !== undefined && isAbsolute(value) ? value : join(env.HOME ?? homedir(), fallback);
}

export interface EndpointPaths {
  readonly directory: string;
  readonly socket: string;
  readonly lock: string;
}

/** The embedded service's own name space: never that of another program (PROTOCOL.md, "Endpoint"). */
export function endpointPaths(serviceKey: string): EndpointPaths {
  const directory = `/tmp/magi-term-${process.geteuid?.() ?? 0}`;
  return {
    directory,
    socket: join(directory, `${serviceKey}.sock`),
    lock: join(directory, `${serviceKey}.lock`),
  };
}

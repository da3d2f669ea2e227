/** Which service the command line asks for, and the way to a connection with it. */
import { type Connection, openConnection } from '../client/connection.ts';
import { outdated, WireFailure } from '../client/failure.ts';
import { askService, type HelloOptions } from '../client/hello.ts';
import { endpointPaths } from '../platform/paths.ts';
import { VERSION } from '../platform/version.ts';
import { serviceKey } from '../wire/identity.ts';
import { SESSION_PROTOCOL } from '../wire/session-protocol.ts';
import { dialExternal, refuseExecutable } from './external-service.ts';
import { type GlobalFlags, type Place, UsageError } from './flags.ts';
import { STARTABLE } from './launch.ts';
import { dialSocket, identityOfSocket } from './socket-service.ts';

/** Gives a fresh connection, or throws a WireFailure. */
export type Dial = () => Promise<Connection>;

/** @throws UsageError when the flags contradict each other or name what cannot be used */
export function dialOf(flags: GlobalFlags, place: Place): Dial {
  const { service, socket } = flags;
  if (service !== undefined && socket !== undefined)
    throw new UsageError('--service and --socket name two services: give one of them.');
  if (socket !== undefined) {
    const identity = identityOfSocket(socket, place, process.env);
    return () => dialSocket(socket, identity);
  }
  if (service === undefined) return () => dialEmbedded(place);
  const unfit = refuseExecutable(service);
  if (unfit !== null) throw new UsageError(unfit);
  return () => dialExternal(service, place.workspace);
}

/** Joins the folder's embedded service when one runs; null when there is none that answers. Starts nothing. */
export async function dialRunning(place: Place): Promise<Connection | null> {
  try {
    return await openConnection(embedded(place));
  } catch (error) {
    if (error instanceof WireFailure) return null;
    throw error;
  }
}

function embedded({ stateRoot, workspace }: Place): HelloOptions & { readonly wishes: readonly string[] } {
  const { directory, socket } = endpointPaths(serviceKey(workspace, stateRoot));
  const identity = { workspace, stateRoot };
  return { directory, socket, identity, version: VERSION, wishes: [SESSION_PROTOCOL] };
}

/** Joins the folder's embedded service, starting it when there is none. */
async function dialEmbedded(place: Place): Promise<Connection> {
  const options = embedded(place);
  try {
    return await openConnection(options);
  } catch (error) {
    if (!(error instanceof WireFailure)) throw error;
    if (error.code === 'version_mismatch') await retire(options);
    else if (!STARTABLE.includes(error.code)) throw error;
  }
  const { launchService } = await import('./daemon.ts');
  const failure = await launchService(place);
  if (failure !== null)
    throw new WireFailure({ code: 'endpoint_absent', sentence: 'The service did not start.', next: failure });
  return openConnection(options);
}

/**
 * A service of another version is left from before an update: asked to stop, which it does once it is idle.
 * @throws WireFailure endpoint_outdated while it works or somebody else is connected
 */
async function retire(options: HelloOptions): Promise<void> {
  const { version } = await askService(options, 'status');
  if (version === options.version) return;
  const { status } = await askService({ ...options, version }, 'stop');
  if (status !== 'stopped') throw outdated(version, options.version);
}

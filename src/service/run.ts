/** A service as a process: its log, its signals, its exit code. */
import { canonicalStateRoot, canonicalWorkspace } from '../platform/canonical.ts';
import { serviceKey } from '../wire/identity.ts';
import { systemClock } from './clock.ts';
import type { Log } from './log.ts';
import { DEFAULT_TIMING, type ServiceOptions, startService } from './service.ts';
import { openServiceLog } from './service-log.ts';

export interface RunOptions
  extends Pick<ServiceOptions, 'workspace' | 'stateRoot' | 'settingsFile' | 'env' | 'version'> {
  /** Whether the process outlives the terminal it was started from. */
  readonly detached: boolean;
}

export type Agent = Pick<ServiceOptions, 'runtime' | 'discover' | 'sandboxKind'>;

/** Makes the agent once there is a log for it. */
export type AgentFactory = (env: NodeJS.ProcessEnv, log: Log) => Agent;

/** Runs until the service is stopped, idle or told to end. The result is the exit code. */
export async function runServiceWith(options: RunOptions, makeAgent: AgentFactory): Promise<number> {
  const workspace = canonicalWorkspace(options.workspace);
  if (!workspace.ok) return complain(workspace.reason);
  const stateRoot = canonicalStateRoot(options.stateRoot);
  if (!stateRoot.ok) return complain(stateRoot.reason);
  const log = openLog(stateRoot.path, serviceKey(workspace.path, stateRoot.path), options.env);
  if (typeof log === 'string') return complain(log);
  const { env, settingsFile, version } = options;
  const identity = { version, workspace: workspace.path, stateRoot: stateRoot.path };
  const rest = { settingsFile, env, timing: DEFAULT_TIMING, clock: systemClock, log };
  const started = await startService({ ...identity, ...rest, ...makeAgent(env, log) });
  if (!started.ok) {
    log.error('the service did not start', { reason: started.reason });
    return complain(started.reason);
  }
  if (process.geteuid?.() === 0) log.warn('the service runs as root: so do the tools of its turns', {});
  const ignore = listenToSignals(options, (signal) => void started.service.shutdown(signal));
  const onFault = (error: Error): void => log.error('the service crashed', { reason: String(error.stack) });
  process.on('uncaughtExceptionMonitor', onFault);
  await started.service.done;
  process.off('uncaughtExceptionMonitor', onFault);
  ignore();
  return 0;
}

function openLog(stateRoot: string, key: string, env: NodeJS.ProcessEnv): Log | string {
  try {
    return openServiceLog(stateRoot, key, env);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    return `The state folder ${stateRoot} cannot be written: ${code}.`;
  }
}

function complain(reason: string): number {
  process.stderr.write(`${reason}\n`);
  return 1;
}

/** A detached service survives the end of the terminal. The result stops listening. */
function listenToSignals({ detached }: RunOptions, end: (signal: string) => void): () => void {
  const onSignal = (signal: NodeJS.Signals): void => end(signal);
  const onHangup = (signal: NodeJS.Signals): void => {
    if (!detached) end(signal);
  };
  process.on('SIGTERM', onSignal).on('SIGINT', onSignal).on('SIGHUP', onHangup);
  return () => {
    process.off('SIGTERM', onSignal).off('SIGINT', onSignal).off('SIGHUP', onHangup);
  };
}

/** `daemon …`: the only place that starts the embedded service. Prints one JSON line; reasons go to stderr. */
import { fileURLToPath } from 'node:url';
import { VERSION } from '../platform/version.ts';
import { EXIT, type GlobalFlags, type Place, placeOf } from './flags.ts';
import { type Launch, serviceAction, startOrConnect } from './launch.ts';

export type DaemonAction = 'start-or-connect' | 'status' | 'stop' | 'foreground';

/** Runs one of the actions. Returns the exit code. */
export async function daemonCommand(action: DaemonAction, flags: GlobalFlags): Promise<number> {
  const place = placeOf(flags);
  switch (action) {
    case 'foreground': {
      const { runService } = await import('../service/main.ts');
      const detached = flags.detached === true;
      return runService({ ...place, env: process.env, version: VERSION, detached });
    }
    case 'start-or-connect':
      return report(await startOrConnect({ ...place, version: VERSION, command: serviceCommand(place) }));
    case 'status':
    case 'stop':
      return report(await serviceAction({ ...place, version: VERSION, action }));
  }
}

/** Makes sure that the folder's service runs. Null when it does, otherwise the reason as a sentence. */
export async function launchService(place: Place): Promise<string | null> {
  const launch = await startOrConnect({ ...place, version: VERSION, command: serviceCommand(place) });
  return launch.ok ? null : launch.reason;
}

/** This program again, as the service. */
function serviceCommand({ workspace, stateRoot }: Place): readonly string[] {
  const script = fileURLToPath(new URL('../bin/magi-term.js', import.meta.url));
  const where = ['--workspace', workspace, '--state-root', stateRoot];
  return [process.execPath, script, 'daemon', 'foreground', '--detached', ...where];
}

function report(launch: Launch): number {
  if (launch.ok) process.stdout.write(`${JSON.stringify(launch.info)}\n`);
  else process.stderr.write(`magi-term: ${launch.reason}\n`);
  return launch.ok ? EXIT.ok : EXIT.failed;
}

/** The default command: the full-screen chat of a folder. */
import { homedir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { type Connection, openConnection } from '../client/connection.ts';
import { WireFailure } from '../client/failure.ts';
import { ServiceLink } from '../client/link.ts';
import { recordFault } from '../platform/fault-log.ts';
import { KeptFiles } from '../platform/keeper.ts';
import { endpointPaths } from '../platform/paths.ts';
import { type LeaveCause, terminalAbilities } from '../platform/terminal.ts';
import { VERSION } from '../platform/version.ts';
import { Conversation } from '../store/conversation.ts';
import { type Keeper, NOTHING_KEPT } from '../store/keeper.ts';
import { INITIAL, type State } from '../store/state.ts';
import { Store } from '../store/store.ts';
import { envelopeId } from '../transcript/envelope.ts';
import { shortPath } from '../ui/rows/format.ts';
import { runInterface } from '../ui/run.tsx';
import { serviceKey } from '../wire/identity.ts';
import { dialExternal, refuseExecutable } from './external-service.ts';
import { EXIT, type GlobalFlags, type Place, placeOf } from './flags.ts';
import { checkSettings } from './settings-check.ts';

const FRAME_MS = 33;

/** Shows the chat. Returns an exit code only when it could not begin; afterwards the interface ends the process. */
export async function chat(flags: GlobalFlags): Promise<number> {
  const env = flags.color ? process.env : { ...process.env, NO_COLOR: '1' };
  const abilities = terminalAbilities(env);
  const refusal = terminalRefusal(abilities.dumb);
  if (refusal !== null) return fail(refusal, EXIT.usage);
  const unfit = flags.service === undefined ? null : refuseExecutable(flags.service);
  if (unfit !== null) return fail(unfit, EXIT.usage);
  const place = placeOf(flags);
  const broken = checkSettings(place.settingsFile);
  if (broken !== null) return fail(broken, EXIT.failed);
  const store = new Store<State>(INITIAL, inFrames());
  const { service } = flags;
  const link = new ServiceLink(() =>
    service === undefined ? dial(place) : dialExternal(service, place.workspace),
  );
  const conversation = new Conversation({
    store,
    link,
    keeper: keeperOf(place),
    now: Date.now,
    newId: envelopeId,
    newOperationId: () => crypto.randomUUID(),
    later: (run, ms) => {
      const timer = setTimeout(run, ms);
      return () => clearTimeout(timer);
    },
    target: flags.session,
  });
  runInterface({
    store,
    conversation,
    abilities,
    folder: shortPath(place.workspace, homedir()),
    farewell: (state, cause) => farewell(state, cause, place),
  });
  return EXIT.ok;
}

function terminalRefusal(dumb: boolean): string | null {
  if (!process.stdin.isTTY || !process.stdout.isTTY)
    return 'this is a full-screen program: run it in a terminal, without redirecting its input or output.';
  if (dumb) return 'TERM=dumb has no cursor to move: use another terminal, or set TERM to what it is.';
  return null;
}

/** Failures that a start of the service can mend. */
const STARTABLE: readonly string[] = ['endpoint_absent', 'endpoint_stale', 'endpoint_closed'];

/** Joins the folder's service, starting it when there is none. */
async function dial(place: Place): Promise<Connection> {
  const { directory, socket } = endpointPaths(serviceKey(place.workspace, place.stateRoot));
  const identity = { workspace: place.workspace, stateRoot: place.stateRoot };
  const options = { directory, socket, identity, version: VERSION };
  try {
    return await openConnection(options);
  } catch (error) {
    if (!(error instanceof WireFailure) || !STARTABLE.includes(error.code)) throw error;
  }
  const { launchService } = await import('./daemon.ts');
  const failure = await launchService(place);
  if (failure !== null)
    throw new WireFailure({ code: 'endpoint_absent', sentence: 'The service did not start.', next: failure });
  return openConnection(options);
}

/** Listeners hear of changes at once when the last frame is old enough, else when the next one is due. */
function inFrames(): (run: () => void) => void {
  let last = 0;
  return (run) => {
    const wait = Math.max(0, last + FRAME_MS - performance.now());
    setTimeout(() => {
      last = performance.now();
      run();
    }, wait);
  };
}

const kept = z.object({
  draft: z.string(),
  outbox: z.array(
    z.object({
      operationId: z.string(),
      text: z.string(),
      state: z.enum(['queued', 'sent', 'uncertain']),
      instanceId: z.string().nullable(),
    }),
  ),
});

function keeperOf(place: Place): Keeper {
  const files = new KeptFiles(join(place.stateRoot, 'drafts', serviceKey(place.workspace, place.stateRoot)));
  return {
    load: (key) => kept.safeParse(files.load(key)).data ?? NOTHING_KEPT,
    save: (key, value) => {
      try {
        files.save(key, value);
        return null;
      } catch {
        return `The draft cannot be kept in ${place.stateRoot}: check free space and rights.`;
      }
    },
  };
}

/** What stands on the normal screen afterwards: why, and how to come back. */
function farewell(state: State, cause: LeaveCause, { stateRoot }: Place): string | null {
  const lines: string[] = [];
  if (cause.kind === 'fault') {
    lines.push(`magi-term stopped by a fault: ${messageOf(cause.error)}`);
    const file = recordFault(stateRoot, cause.error, new Date());
    if (file !== null) lines.push(`Details: ${file}`);
  }
  if (cause.kind === 'signal') lines.push(`magi-term stopped by ${cause.signal}.`);
  if (state.session !== null) {
    lines.push(`Session ${state.session.id}`, `Go on with: ${ownName()} --session ${state.session.id}`);
  }
  return lines.length === 0 ? null : lines.join('\r\n');
}

/** How the program was started, as it can be typed again. */
function ownName(): string {
  return process.env.npm_lifecycle_event === 'start' ? 'npm start --' : 'magi-term';
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message.replaceAll(/[^\u0020-\u007e]/g, '?') : 'unknown';
}

function fail(text: string, code: number): number {
  process.stderr.write(`magi-term: ${text}\n`);
  return code;
}

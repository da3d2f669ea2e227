/** The default command: the full-screen chat of a folder. */
import { homedir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { ServiceLink } from '../client/link.ts';
import { recordFault } from '../platform/fault-log.ts';
import { KeptFiles } from '../platform/keeper.ts';
import { type LeaveCause, terminalAbilities } from '../platform/terminal.ts';
import { Conversation } from '../store/conversation.ts';
import { type Keeper, NOTHING_KEPT } from '../store/keeper.ts';
import { INITIAL, type State } from '../store/state.ts';
import { Store } from '../store/store.ts';
import { envelopeId } from '../transcript/envelope.ts';
import { shortPath } from '../ui/rows/format.ts';
import { runInterface } from '../ui/run.tsx';
import { serviceKey } from '../wire/identity.ts';
import { dialOf } from './dialling.ts';
import { EXIT, type GlobalFlags, type Place, placeOf } from './flags.ts';
import { checkSettings } from './settings-check.ts';

const FRAME_MS = 33;

/** Shows the chat. Returns an exit code only when it could not begin; afterwards the interface ends the process. */
export async function chat(flags: GlobalFlags): Promise<number> {
  const env = flags.color ? process.env : { ...process.env, NO_COLOR: '1' };
  const abilities = terminalAbilities(env);
  const refusal = terminalRefusal(abilities.dumb);
  if (refusal !== null) return fail(refusal, EXIT.usage);
  const place = placeOf(flags);
  const dial = dialOf(flags, place);
  const broken = checkSettings(place.settingsFile);
  if (broken !== null) return fail(broken, EXIT.failed);
  const store = new Store<State>(INITIAL, inFrames());
  const link = new ServiceLink(dial);
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
      after: z.int().default(Number.MAX_SAFE_INTEGER),
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

/** The default command: the full-screen chat of a folder. */
import { spawn } from 'node:child_process';
import { homedir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { ServiceLink } from '../client/link.ts';
import { dropImage } from '../platform/clipboard-image.ts';
import { recordFault } from '../platform/fault-log.ts';
import { KeptFiles } from '../platform/keeper.ts';
import { PromptLog } from '../platform/prompt-log.ts';
import { type LeaveCause, terminalAbilities } from '../platform/terminal.ts';
import { Conversation } from '../store/conversation.ts';
import { type Keeper, NOTHING_KEPT } from '../store/keeper.ts';
import { INITIAL, type State } from '../store/state.ts';
import { Store } from '../store/store.ts';
import { envelopeId } from '../transcript/envelope.ts';
import { shortPath } from '../ui/rows/format.ts';
import { Preferences } from '../ui/settings/preferences.ts';
import { serviceKey } from '../wire/identity.ts';
import { dialOf } from './dialling.ts';
import { EXIT, type GlobalFlags, type Place, placeOf } from './flags.ts';
import { checkSettings } from './settings-check.ts';

const FRAME_MS = 33;
/** Between two pictures for those whom motion troubles, ms. */
const CALM_MS = 500;

/** Shows the chat. Returns an exit code only when it could not begin; afterwards the interface ends the process. */
export async function chat(flags: GlobalFlags): Promise<number> {
  const env = flags.color ? process.env : { ...process.env, NO_COLOR: '1' };
  const abilities = terminalAbilities(env);
  const place = placeOf(flags);
  const dial = dialOf(flags, place);
  const checked = checkSettings(place.settingsFile);
  if (typeof checked === 'string') return fail(checked, EXIT.failed);
  const settings = checked.ui ?? {};
  const isPlain = flags.screenReader === true || settings.screenReader === true;
  const refusal = terminalRefusal(abilities.dumb && !isPlain);
  if (refusal !== null) return fail(refusal, EXIT.usage);
  const preferences = new Preferences(place.settingsFile, settings);
  const problems = preferences.state.getState().keyProblems;
  const notice =
    problems.length === 0
      ? null
      : {
          text: `${place.settingsFile}, ui.keys: ${problems.join('; ')}. F1 shows the keys.`,
          tone: 'warn' as const,
        };
  const store = new Store<State>(
    { ...INITIAL, notice },
    inFrames(() => (preferences.state.getState().settings.reducedMotion === true ? CALM_MS : FRAME_MS)),
  );
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
    taken: (files) => {
      for (const { path, temporary } of files) if (temporary) dropImage(path);
    },
  });
  const leaving = (state: State, cause: LeaveCause): string | null => farewell(state, cause, place);
  if (isPlain) {
    const { runPlain } = await import('../ui/plain/run-plain.ts');
    runPlain({ store, conversation, farewell: leaving });
    return EXIT.ok;
  }
  const { runInterface } = await import('../ui/run.tsx');
  runInterface({
    store,
    conversation,
    abilities,
    preferences,
    folder: shortPath(place.workspace, homedir()),
    workspace: place.workspace,
    saveKey: keysAreElsewhere(flags) ? null : (provider, signal) => saveKey(provider, place, signal),
    prompts: new PromptLog(join(draftsOf(place), 'prompts.jsonl')),
    farewell: leaving,
  });
  return EXIT.ok;
}

/** Other services keep their keys themselves. */
function keysAreElsewhere({ service, socket }: GlobalFlags): boolean {
  return service !== undefined || socket !== undefined;
}

/** This program again, on the same terminal: the key never is in the memory of the interface. */
function saveKey(provider: string, { stateRoot }: Place, signal: AbortSignal): Promise<void> {
  const script = process.argv[1] ?? '';
  const args = [script, '--state-root', stateRoot, 'key', 'set', '--', provider];
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, { stdio: 'inherit', signal });
    child.once('error', () => resolve());
    child.once('close', () => resolve());
  });
}

function terminalRefusal(dumb: boolean): string | null {
  if (!process.stdin.isTTY || !process.stdout.isTTY)
    return 'this is a full-screen program: run it in a terminal, without redirecting its input or output.';
  if (dumb) return 'TERM=dumb has no cursor to move: use another terminal, or set TERM to what it is.';
  return null;
}

/** Listeners hear of changes at once when the last frame is old enough, else when the next one is due. */
function inFrames(frameMs: () => number): (run: () => void) => void {
  let last = 0;
  return (run) => {
    const wait = Math.max(0, last + frameMs() - performance.now());
    setTimeout(() => {
      last = performance.now();
      run();
    }, wait);
  };
}

const files = z.array(
  z.object({
    path: z.string(),
    name: z.string(),
    size: z.number(),
    kind: z.enum(['image', 'file']),
    temporary: z.boolean(),
  }),
);
const kept = z.object({
  draft: z.string(),
  attachments: files.exactOptional(),
  outbox: z.array(
    z.object({
      operationId: z.string(),
      text: z.string(),
      attachments: files.exactOptional(),
      state: z.enum(['queued', 'sent', 'uncertain']),
      instanceId: z.string().nullable(),
      after: z.int().default(Number.MAX_SAFE_INTEGER),
      behind: z.string().exactOptional(),
    }),
  ),
});

/** Where drafts and sent messages of a folder are kept. */
function draftsOf({ stateRoot, workspace }: Place): string {
  return join(stateRoot, 'drafts', serviceKey(workspace, stateRoot));
}

function keeperOf(place: Place): Keeper {
  const files = new KeptFiles(draftsOf(place));
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

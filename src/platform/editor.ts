/**
 * Lets somebody write a text in the editor of their choice, on the terminal that this program was given back.
 *
 * Invariants:
 * - the text lies in a private file of a private folder, which is gone afterwards, whatever happens;
 * - an editor that fails changes nothing.
 */
import { spawn } from 'node:child_process';
import { constants } from 'node:fs';
import { access, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

export type Edited =
  | { readonly kind: 'edited'; readonly text: string }
  | { readonly kind: 'unchanged' }
  /** `reason` is a sentence for people. */
  | { readonly kind: 'failed'; readonly reason: string };

type Environment = Readonly<Record<string, string | undefined>>;

const FALLBACKS = ['vi', 'nano'];
const FILE = 'message.md';
/** What only a shell that stays can run; any other command takes its place, so that ending it ends the editor. */
const COMPOUND = /[=;&|<>()`]/;

/** The command of the editor as the shell takes it; null when there is none. */
export async function editorOf(env: Environment): Promise<string | null> {
  const named = [env.VISUAL, env.EDITOR].find((command) => command !== undefined && command.trim() !== '');
  if (named !== undefined) return named;
  for (const name of FALLBACKS) if (await isInPath(name, env)) return name;
  return null;
}

/** Runs the editor on a text, until it ends or the signal is raised. Never rejects. */
export async function editText(
  text: string,
  command: string,
  { env, signal }: { readonly env: Environment; readonly signal: AbortSignal },
): Promise<Edited> {
  let folder: string | null = null;
  try {
    folder = await mkdtemp(join(tmpdir(), 'magi-term-draft-'));
    const file = join(folder, FILE);
    await writeFile(file, `${text}\n`, { mode: 0o600, flag: 'wx' });
    const failure = await run(command, file, { env, signal });
    if (failure !== null) return { kind: 'failed', reason: failure };
    const written = (await readFile(file, 'utf8')).replace(/\r?\n$/, '');
    return written === text ? { kind: 'unchanged' } : { kind: 'edited', text: written };
  } catch {
    return { kind: 'failed', reason: 'The file for the editor cannot be written or read.' };
  } finally {
    if (folder !== null) await rm(folder, { recursive: true, force: true }).catch(() => undefined);
  }
}

/** Runs the editor on a file that is there, or will be. Returns why it did not work, or null. */
export function editFile(
  file: string,
  command: string,
  options: { readonly env: Environment; readonly signal: AbortSignal },
): Promise<string | null> {
  return run(command, file, options);
}

/** Null when it went well. The shell takes the command apart, so that it may have arguments. */
function run(
  command: string,
  file: string,
  options: { readonly env: Environment; readonly signal: AbortSignal },
): Promise<string | null> {
  return new Promise((settle) => {
    const line = `${COMPOUND.test(command) ? '' : 'exec '}${command} "$1"`;
    const child = spawn('/bin/sh', ['-c', line, 'sh', file], { ...options, stdio: 'inherit' });
    child.on('error', () => settle('The editor cannot be started.'));
    child.on('close', (code, killed) => {
      if (code === 0) settle(null);
      else if (code === 127) settle('There is no such editor: set VISUAL or EDITOR.');
      else settle(`The editor ended with ${code === null ? killed : `code ${code}`}.`);
    });
  });
}

async function isInPath(name: string, env: Environment): Promise<boolean> {
  for (const folder of (env.PATH ?? '').split(delimiter).filter((entry) => entry !== '')) {
    const found = await access(join(folder, name), constants.X_OK).then(
      () => true,
      () => false,
    );
    if (found) return true;
  }
  return false;
}

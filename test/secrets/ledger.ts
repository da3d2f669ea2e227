/**
 * What a run of tests has made up and must not be found, and what is searched for it when the run ends.
 * Invariants: every process writes files of its own, so workers need no agreement; what is discarded moves and is not
 * copied; without a run that searches, folders are removed and nothing is kept.
 */
import { appendFileSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

export type SecretKind =
  | 'access token'
  | 'account'
  | 'address'
  | 'code'
  | 'ID token'
  | 'key'
  | 'refresh token'
  | 'state'
  | 'verifier';

export interface Secret {
  readonly kind: SecretKind;
  readonly value: string;
}

/** Names the folder of the run for its workers. */
export const LEDGER_VARIABLE = 'TEST_SECRETS_LEDGER';
/** In the folder of the run. `shown`: what people saw, on terminals and pipes. */
export const PARTS = { secrets: 'secrets', kept: 'kept', shown: 'shown' } as const;
/** Anything shorter is found by chance, bytes. */
export const SHORTEST = 8;

let count = 0;

/** @throws when it is too short to be looked for */
export function registerSecret(kind: SecretKind, value: string): void {
  if (value.length < SHORTEST) throw new Error(`a secret of ${value.length} letters is found everywhere`);
  const folder = partOf(PARTS.secrets);
  if (folder === null) return;
  appendFileSync(join(folder, `${process.pid}.jsonl`), `${JSON.stringify({ kind, value })}\n`);
}

/** The address of a sign-in, and the state that is in it. */
export function registerLink(url: string): void {
  registerSecret('address', url);
  const state = URL.parse(url)?.searchParams.get('state') ?? null;
  if (state !== null) registerSecret('state', state);
}

/** Keys among the variables that a program or service is given. */
export function registerKeys(env: Readonly<Record<string, string | undefined>>): void {
  for (const [name, value = ''] of Object.entries(env))
    if (name.endsWith('_KEY') && value.length >= SHORTEST) registerSecret('key', value);
}

/** Removes a folder that tests have written to, once it was searched; also one that is gone already. */
export function discardFolder(path: string): void {
  const kept = partOf(PARTS.kept);
  if (kept === null) {
    rmSync(path, { recursive: true, force: true });
    return;
  }
  try {
    renameSync(path, join(kept, `${unique()}-${basename(path)}`));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  }
}

/** Keeps what a program wrote to its terminal or its pipes. */
export function keepOutput(name: string, output: string | Uint8Array): void {
  const folder = partOf(PARTS.shown);
  if (folder !== null && output.length > 0) writeFileSync(join(folder, `${unique()}-${name}`), output);
}

function unique(): string {
  count += 1;
  return `${process.pid}-${count}`;
}

/** Null when nobody searches. */
function partOf(part: string): string | null {
  const ledger = process.env[LEDGER_VARIABLE] ?? '';
  if (ledger === '') return null;
  const folder = join(ledger, part);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}

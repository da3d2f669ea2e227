/**
 * The shared store of credentials of one state root (PROTOCOL.md, "Authentication").
 * Invariants: every change happens under a lock between processes and advances the generation of its provider; whoever
 * names the generation it has seen changes nothing when another one came first; records of others stay as they are.
 * Whatever secret passes through here is struck out of the log from then on.
 */
import { join } from 'node:path';
import { selectionId } from '../../wire/fields.ts';
import { hideFromLogs } from '../log.ts';
import {
  type AuthFile,
  type AuthRecord,
  type OAuthRecord,
  prepareAuthFolder,
  readAuthFile,
  writeAuthFile,
} from './auth-file.ts';
import { awaitLock } from './patient-lock.ts';

/** What was in the store at one moment. */
export interface StoredAuth {
  oauth(provider: string): OAuthRecord | null;
  apiKey(provider: string): string | null;
  has(provider: string): boolean;
  generation(provider: string): number;
}

export type StoredAuthRead =
  | { readonly ok: true; readonly auth: StoredAuth }
  | { readonly ok: false; readonly reason: string };

/** `changed`: another change came first. `failed`: nothing was written; the reason holds no secret. */
export type AuthChange =
  | { readonly ok: true; readonly had: boolean }
  | { readonly ok: false; readonly why: 'changed' | 'failed'; readonly reason: string };

/** Others hold the lock for moments only. */
const LOCK_MS = 5_000;
/** What a header can carry. */
const KEY = /^[\x21-\x7e]{1,4096}$/;

export class AuthStore {
  readonly #file: string;
  readonly #lock: string;
  /** Held while a token is refreshed, so that two services do not use up one refresh token. */
  readonly refreshLock: string;

  constructor(stateRoot: string) {
    const folder = join(stateRoot, 'auth');
    this.#file = join(folder, 'auth.json');
    this.#lock = join(folder, 'auth.lock');
    this.refreshLock = join(folder, 'refresh.lock');
  }

  read(): StoredAuthRead {
    const read = readAuthFile(this.#file);
    if (!read.ok) return read;
    for (const record of Object.values(read.file.providers)) hideSecrets(record);
    return { ok: true, auth: view(read.file) };
  }

  /** Replaces whatever the provider had. */
  async setKey(provider: string, key: string): Promise<AuthChange> {
    if (!KEY.test(key))
      return { ok: false, why: 'failed', reason: 'The key has characters that no key has.' };
    return this.#change(provider, { type: 'api_key', key }, null);
  }

  /** Replaces whatever the provider had when `seen` was its generation. */
  async putOAuth(provider: string, record: OAuthRecord, seen: number): Promise<AuthChange> {
    return this.#change(provider, record, seen);
  }

  /** The generation advances even when there was no record: a sign-in that is under way loses. */
  async remove(provider: string): Promise<AuthChange> {
    return this.#change(provider, null, null);
  }

  async #change(provider: string, record: AuthRecord | null, seen: number | null): Promise<AuthChange> {
    if (record !== null) hideSecrets(record);
    if (!isProviderId(provider)) return failed('That is no name of a provider.');
    const unusable = prepareAuthFolder(this.#file);
    if (unusable !== null) return failed(unusable);
    try {
      const lock = await awaitLock(this.#lock, LOCK_MS);
      if (lock === null) return failed('Another process does not let go of the store.');
      try {
        return this.#replace(provider, record, seen);
      } finally {
        lock.release();
      }
    } catch (error) {
      return failed(error instanceof Error ? error.message : 'unknown error');
    }
  }

  #replace(provider: string, record: AuthRecord | null, seen: number | null): AuthChange {
    const read = readAuthFile(this.#file);
    if (!read.ok) return failed(read.reason);
    const { file } = read;
    const stored = view(file);
    const generation = stored.generation(provider);
    if (seen !== null && seen !== generation)
      return { ok: false, why: 'changed', reason: 'Another change of this provider came first.' };
    const { [provider]: _, ...others } = file.providers;
    const problem = writeAuthFile(this.#file, {
      ...file,
      generations: { ...file.generations, [provider]: generation + 1 },
      providers: record === null ? others : { ...others, [provider]: record },
    });
    return problem === null ? { ok: true, had: stored.has(provider) } : failed(problem);
  }
}

/** One name that objects do not keep. */
function isProviderId(id: string): boolean {
  return id !== '__proto__' && selectionId.safeParse(id).success;
}

function view({ generations, providers }: AuthFile): StoredAuth {
  const recordOf = (provider: string) =>
    Object.hasOwn(providers, provider) ? providers[provider] : undefined;
  return {
    oauth: (provider) => {
      const record = recordOf(provider);
      return isOAuth(record) ? record : null;
    },
    apiKey: (provider) => {
      const record = recordOf(provider);
      return record?.type === 'api_key' && typeof record.key === 'string' ? record.key : null;
    },
    has: (provider) => recordOf(provider) !== undefined,
    generation: (provider) => (Object.hasOwn(generations, provider) ? (generations[provider] ?? 0) : 0),
  };
}

function isOAuth(record: AuthFile['providers'][string] | undefined): record is OAuthRecord {
  return record?.type === 'oauth';
}

function hideSecrets(record: Readonly<Record<string, unknown>>): void {
  for (const name of ['access', 'refresh', 'account_id', 'key']) {
    const value = record[name];
    if (typeof value === 'string') hideFromLogs(value);
  }
}

function failed(reason: string): AuthChange {
  return { ok: false, why: 'failed', reason };
}

/**
 * The settings file (PROTOCOL.md, "Configuration"): read as it is at every use, written atomically.
 * Invariants: unknown members survive every write, also those of two processes at once; a file that cannot be
 * understood is never rewritten.
 * What tools may do (`allow`) stands here, under the folder's path, and not inside the folder: a repository
 * cannot grant itself rights.
 */
import { readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import writeFileAtomic from 'write-file-atomic';
import * as z from 'zod';
import { makeFolder } from './folder.ts';
import { acquireLock, type Lock, LockError } from './lock.ts';
import { mcpServers, unknownServerKeys } from './mcp-settings.ts';
import { uiSettings, unknownUiKeys } from './ui-settings.ts';

const provider = z.looseObject({
  label: z.string().optional(),
  baseUrl: z.string(),
  api: z.enum(['openai-completions', 'anthropic-messages']),
  /** Name of the environment variable that holds the key; without it the server needs none. */
  apiKeyEnv: z.string().optional(),
});
const selection = {
  provider: z.string().optional(),
  model: z.string().optional(),
  thinkingLevel: z.string().optional(),
};
const workspace = z.looseObject({
  ...selection,
  allow: z.looseObject({ bash: z.boolean().optional(), writeOutside: z.boolean().optional() }).optional(),
  permissions: z
    .looseObject({ allow: z.array(z.string()).optional(), deny: z.array(z.string()).optional() })
    .optional(),
  mcpServers,
});
export const settingsSchema = z.looseObject({
  /** Where an editor finds the schema of this file. */
  $schema: z.string().optional(),
  ...selection,
  fast: z.boolean().optional(),
  /** Sessions without a word for so many days are removed; absent keeps all. */
  keepSessionsDays: z.int().min(1).optional(),
  providers: z.record(z.string(), provider).optional(),
  workspaces: z.record(z.string(), workspace).optional(),
  mcpServers,
  ui: uiSettings,
});

export type Settings = z.infer<typeof settingsSchema>;

/**
 * Why the file cannot be used. `line` and `column` count from 1; 0 when no place in the file is to blame.
 * What helps: to mend the `content`, to get the `right-to-read` or the `right-to-write`, to take the protection of a
 * `read-only` file away, or to try again once nothing is in the `way` any more.
 */
export interface SettingsError {
  readonly kind: 'content' | 'right-to-read' | 'right-to-write' | 'read-only' | 'way';
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly reason: string;
}

export type SettingsRead =
  | { readonly ok: true; readonly settings: Settings; readonly warnings: readonly string[] }
  | { readonly ok: false; readonly error: SettingsError };

export type SettingsWrite =
  | { readonly ok: true; readonly settings: Settings }
  | { readonly ok: false; readonly error: SettingsError };

/** A missing file is empty settings. */
export function readSettings(file: string): SettingsRead {
  let text: string;
  try {
    text = readFileSync(file, 'utf8').replace(/^\ufeff/, '');
  } catch (error) {
    if (isMissing(error)) return { ok: true, settings: {}, warnings: [] };
    const kind = isForbidden(error) ? 'right-to-read' : 'content';
    return failed(file, kind, `cannot be read: ${messageOf(error)}`);
  }
  if (text.trim() === '') return { ok: true, settings: {}, warnings: [] };
  return parseSettings(file, text);
}

function parseSettings(file: string, text: string): SettingsRead {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    const place = placeOf(text, firstSyntaxError(text));
    return { ok: false, error: { kind: 'content', file, ...place, reason: 'not valid JSON' } };
  }
  const parsed = settingsSchema.safeParse(value);
  if (parsed.success) return { ok: true, settings: parsed.data, warnings: unknownKeys(parsed.data) };
  const issue = parsed.error.issues[0];
  const path = issue?.path.map(String) ?? [];
  const where = path.length === 0 ? 'the file' : path.join('.');
  const place = placeOf(text, offsetOfKey(text, path));
  return { ok: false, error: { kind: 'content', file, ...place, reason: `${where}: ${issue?.message}` } };
}

/** Other processes change it at the same time: that takes milliseconds, not seconds. */
const LOCK_MS = 2_000;
const LOCK_POLL_MS = 10;

/**
 * Reads, changes and writes the file while no other process does; `mutate` gets a copy and returns what is to be
 * written. Readable by its owner only: it may name servers and folders. A file that its owner has made read-only stays
 * as it is, although it could be replaced.
 */
export function updateSettings(file: string, mutate: (settings: Settings) => Settings): SettingsWrite {
  let lock: Lock | null;
  try {
    if (isReadOnly(file)) return failed(file, 'read-only', 'the file is read only');
    makeFolder(dirname(file));
    lock = awaitLock(`${file}.lock`);
  } catch (error) {
    return unwritten(file, error);
  }
  if (lock === null) return failed(file, 'way', 'cannot be written: another program keeps it locked');
  try {
    return update(file, mutate);
  } finally {
    lock.release();
  }
}

function update(file: string, mutate: (settings: Settings) => Settings): SettingsWrite {
  const current = readSettings(file);
  if (!current.ok) return current;
  const settings = mutate(structuredClone(current.settings));
  try {
    writeFileAtomic.sync(file, `${JSON.stringify(settings, null, 2)}\n`, { mode: 0o600 });
    return { ok: true, settings };
  } catch (error) {
    return unwritten(file, error);
  }
}

/** By its mode, and not by what this user may: root may write everything. */
function isReadOnly(file: string): boolean {
  const stats = statSync(file, { throwIfNoEntry: false });
  return stats !== undefined && (stats.mode & 0o200) === 0;
}

/** Null when somebody else held it all the time. @throws LockError */
function awaitLock(path: string): Lock | null {
  const until = performance.now() + LOCK_MS;
  const clock = new Int32Array(new SharedArrayBuffer(4));
  for (;;) {
    const lock = acquireLock(path);
    if (lock !== null || performance.now() >= until) return lock;
    Atomics.wait(clock, 0, 0, LOCK_POLL_MS);
  }
}

function unwritten(file: string, error: unknown): SettingsWrite & { ok: false } {
  return failed(
    file,
    isForbidden(error) ? 'right-to-write' : 'way',
    `cannot be written: ${messageOf(error)}`,
  );
}

function failed(file: string, kind: SettingsError['kind'], reason: string): SettingsWrite & { ok: false } {
  return { ok: false, error: { kind, file, line: 0, column: 0, reason } };
}

/** Also a lock file that somebody else has left there. */
function isForbidden(error: unknown): boolean {
  const { cause } = error instanceof LockError ? error : { cause: error };
  return cause === undefined || FORBIDDEN.includes(codeOf(cause));
}

const FORBIDDEN: readonly string[] = ['EACCES', 'EPERM', 'EROFS'];

function unknownKeys(settings: Settings): string[] {
  const found = [
    ...keysBeyond(settings, settingsSchema.shape, ''),
    ...unknownServerKeys(settings.mcpServers, ''),
    ...unknownUiKeys(settings.ui),
  ];
  for (const [id, value] of Object.entries(settings.providers ?? {}))
    found.push(...keysBeyond(value, provider.shape, `providers.${id}.`));
  for (const [path, value] of Object.entries(settings.workspaces ?? {}))
    found.push(
      ...keysBeyond(value, workspace.shape, `workspaces.${path}.`),
      ...unknownServerKeys(value.mcpServers, `workspaces.${path}.`),
    );
  return found;
}

function keysBeyond(value: object, shape: object, prefix: string): string[] {
  return Object.keys(value)
    .filter((key) => !Object.hasOwn(shape, key))
    .map((key) => `unknown setting ${prefix}${key}`);
}

function placeOf(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

/** Where the member at `path` is written; a best effort, exact unless a key also occurs as a text before it. */
function offsetOfKey(text: string, path: readonly string[]): number {
  let offset = 0;
  for (const key of path) {
    const found = text.indexOf(JSON.stringify(key), offset);
    if (found !== -1) offset = found;
  }
  return offset;
}

const TOKEN =
  /[ \t\r\n]*(?:([{}[\],:])|("(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])|(?:true|false|null)(?!\w)))/y;

/** What may come next: a value, a value or the end of an array, a key, a key or the end of an object, a colon, or what follows a value. */
type Expect = 'value' | 'first-item' | 'key' | 'first-key' | 'colon' | 'after';

/** Offset of the first character that cannot continue JSON. The parser's own message often lacks it. */
function firstSyntaxError(text: string): number {
  const open: string[] = [];
  let expect: Expect = 'value';
  let offset = 0;
  for (;;) {
    TOKEN.lastIndex = offset;
    const match = TOKEN.exec(text);
    const start = offset + (/^[ \t\r\n]*/.exec(text.slice(offset))?.[0].length ?? 0);
    if (match === null) return start;
    const next = follow(expect, tokenKind(match), open);
    if (next === null) return start;
    expect = next;
    offset = TOKEN.lastIndex;
  }
}

function tokenKind(match: RegExpExecArray): string {
  return match[1] ?? (match[2] === undefined ? 'scalar' : 'string');
}

function follow(expect: Expect, token: string, open: string[]): Expect | null {
  if (expect === 'colon') return token === ':' ? 'value' : null;
  if (expect === 'key' || expect === 'first-key') {
    if (token === 'string') return 'colon';
    return expect === 'first-key' && token === '}' ? close(open) : null;
  }
  if (expect === 'after') {
    if (token === ',' && open.length > 0) return open.at(-1) === '{' ? 'key' : 'value';
    return (token === '}' && open.at(-1) === '{') || (token === ']' && open.at(-1) === '[')
      ? close(open)
      : null;
  }
  if (token === ']' && expect === 'first-item') return close(open);
  if (token === 'string' || token === 'scalar') return 'after';
  if (token !== '{' && token !== '[') return null;
  open.push(token);
  return token === '{' ? 'first-key' : 'first-item';
}

function close(open: string[]): Expect {
  open.pop();
  return 'after';
}

function isMissing(error: unknown): boolean {
  return codeOf(error) === 'ENOENT';
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

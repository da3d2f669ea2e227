/**
 * Which key does what, as data. Components name commands, never keys; help and docs are made from this list.
 *
 * Invariants:
 * - contexts that listen at the same time share no key (see `TOGETHER`, checked by conflicts());
 * - keys are spelled as keySpelling() spells them; several spellings of one key stand for what different
 *   terminals send.
 */
import { COMMANDS } from './commands.ts';
import { type KeyEvent, keySpelling } from './key-event.ts';
import { type KeyOverrides, overridden } from './overrides.ts';

/** Who listens. Several contexts may listen at once, the innermost first. */
export type KeyContext =
  | 'chat'
  | 'question'
  | 'composer'
  | 'transcript'
  | 'list'
  | 'help'
  | 'choice'
  | 'browse'
  | 'search'
  | 'detail'
  | 'activity'
  | 'completion'
  | 'history'
  | 'picker'
  | 'login'
  | 'login-field'
  | 'settings';

/** The name of something a key can do. */
export type CommandId = (typeof COMMANDS)[number]['id'];

export interface Binding {
  readonly id: CommandId;
  readonly context: KeyContext;
  /** Spellings, the one to show first. */
  readonly keys: readonly string[];
  /** What it does, as a sentence part for the help screen. */
  readonly title: string;
  /** One or two words for the status line. */
  readonly hint: string;
}

/** All bindings, in the order of the help screen. */
export const BINDINGS: readonly Binding[] = COMMANDS;

/** Contexts that listen at the same time and must not compete for a key. */
const TOGETHER: readonly (readonly KeyContext[])[] = [
  ['chat', 'question', 'composer', 'transcript'],
  ['browse'],
  ['search'],
  ['detail'],
  ['list'],
  ['activity', 'question'],
  ['picker', 'question'],
  ['completion'],
  ['history'],
  ['help'],
  ['choice'],
  ['login'],
  ['login-field'],
  ['settings'],
];

/** What holds in this program run: the defaults, or what adoptKeys() made of them. */
let active = BINDINGS;
let index = indexOf(active);

function indexOf(bindings: readonly Binding[]): ReadonlyMap<string, CommandId> {
  return new Map(
    bindings.flatMap(({ context, id, keys }) => keys.map((key) => [`${context} ${key}`, id] as const)),
  );
}

/** Lays the user's keys over the defaults, once and before the first frame. Returns what could not be done, in sentences. */
export function adoptKeys(overrides: KeyOverrides): readonly string[] {
  const { bindings, problems } = overridden(BINDINGS, TOGETHER, overrides);
  active = bindings;
  index = indexOf(active);
  return problems;
}

/** Returns the command that the event names in the first of the contexts that knows it, or null. */
export function resolve(event: KeyEvent, contexts: readonly KeyContext[]): CommandId | null {
  if (event.kind !== 'key') return null;
  const spelling = keySpelling(event);
  for (const context of contexts) {
    const id = index.get(`${context} ${spelling}`);
    if (id !== undefined) return id;
  }
  return null;
}

/** Who listens to a command. */
export function contextOf(id: CommandId): KeyContext {
  return CONTEXTS.get(id) ?? 'chat';
}

const CONTEXTS: ReadonlyMap<CommandId, KeyContext> = new Map(
  BINDINGS.map(({ id, context }) => [id, context]),
);

export interface HelpRow {
  readonly context: KeyContext;
  readonly keys: string;
  readonly title: string;
}

/** Returns the rows of the key table, in order: what the help screen and the README show. */
export function helpTable(): readonly HelpRow[] {
  return active.map(({ context, keys, title }) => ({
    context,
    keys: keys.map(keyLabel).join(', ') || '—',
    title,
  }));
}

/** Returns a key hint for the status line, such as `Esc stop`. */
export function keyHint(id: CommandId): string {
  const binding = active.find((candidate) => candidate.id === id);
  return binding === undefined || binding.keys.length === 0 ? '' : `${keyName(id)} ${binding.hint}`;
}

/** Returns the first key of a command as people read it, such as `Esc`. */
export function keyName(id: CommandId): string {
  return keyLabel(active.find((candidate) => candidate.id === id)?.keys[0] ?? '');
}

export interface KeyConflict {
  readonly key: string;
  readonly ids: readonly CommandId[];
}

/** Returns every key that two commands claim while both listen. Empty unless the list is wrong. */
export function conflicts(): readonly KeyConflict[] {
  return TOGETHER.flatMap((contexts) => {
    const claims = new Map<string, CommandId[]>();
    for (const binding of BINDINGS.filter(({ context }) => contexts.includes(context))) {
      for (const key of binding.keys) claims.set(key, [...(claims.get(key) ?? []), binding.id]);
    }
    return [...claims].filter(([, ids]) => ids.length > 1).map(([key, ids]) => ({ key, ids }));
  });
}

const LABELS: ReadonlyMap<string, string> = new Map([
  ['escape', 'Esc'],
  ['pageup', 'PgUp'],
  ['pagedown', 'PgDn'],
  ['up', '↑'],
  ['down', '↓'],
  ['left', '←'],
  ['right', '→'],
]);

/** Returns how people read a key: `ctrl+c` → `Ctrl+C`, `pageup` → `PgUp`, `n` → `n`. */
export function keyLabel(key: string): string {
  const parts = key === '+' ? ['+'] : key.split('+');
  const isChord = parts.length > 1;
  return parts.map((part) => LABELS.get(part) ?? capital(part, isChord)).join('+');
}

function capital(part: string, isChord: boolean): string {
  if (part.length === 1 && !isChord) return part;
  return part.slice(0, 1).toUpperCase() + part.slice(1);
}

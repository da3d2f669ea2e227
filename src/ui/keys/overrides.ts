/**
 * The user's own keys laid over the defaults. Pure.
 * Invariants: a key that the user gives to one command is taken from every other that listens at the same time;
 * Ctrl+C always interrupts, whatever the file says; whatever cannot be done is told and left out.
 */
/** Keys by command, as the settings file names them. */
export type KeyOverrides = Readonly<Record<string, string | readonly string[]>>;

/** What has keys, and who listens to them. */
interface Bound {
  readonly id: string;
  readonly context: string;
  readonly keys: readonly string[];
}

export interface Overridden<B> {
  readonly bindings: readonly B[];
  /** What could not be done, one sentence each. */
  readonly problems: readonly string[];
}

const ALWAYS = { id: 'chat.interrupt', key: 'ctrl+c' } as const;
const NAMED = new Set(
  'enter escape tab backspace delete insert up down left right home end pageup pagedown space'.split(' '),
);

/** @param together contexts that listen at the same time */
export function overridden<B extends Bound>(
  defaults: readonly B[],
  together: readonly (readonly string[])[],
  overrides: KeyOverrides,
): Overridden<B> {
  const problems: string[] = [];
  const wanted = new Map<string, readonly string[]>();
  for (const [id, keys] of Object.entries(overrides)) {
    if (!defaults.some((binding) => binding.id === id)) problems.push(`there is no command ${id}`);
    else wanted.set(id, validKeys(id, typeof keys === 'string' ? [keys] : keys, problems));
  }
  const taken: { readonly key: string; readonly context: string; readonly id: string }[] = [
    { ...ALWAYS, context: 'chat' },
  ];
  const compete = (one: string, other: string): boolean =>
    together.some((group) => group.includes(one) && group.includes(other));
  const ownerOf = (key: string, { id, context }: Bound) =>
    taken.find((claim) => claim.key === key && claim.id !== id && compete(claim.context, context));
  const chosen = defaults.map((binding): B => {
    const keys = wanted.get(binding.id);
    if (keys === undefined) return binding;
    const free = keys.filter((key) => {
      const owner = ownerOf(key, binding);
      if (owner === undefined) taken.push({ key, context: binding.context, id: binding.id });
      else problems.push(`${key} is wanted by ${owner.id} and by ${binding.id}`);
      return owner === undefined;
    });
    const kept = binding.id === ALWAYS.id ? [ALWAYS.key, ...free.filter((key) => key !== ALWAYS.key)] : free;
    return { ...binding, keys: kept };
  });
  const bindings = chosen.map((binding): B => {
    if (wanted.has(binding.id)) return binding;
    const keys = binding.keys.filter((key) => ownerOf(key, binding) === undefined);
    return keys.length === binding.keys.length ? binding : { ...binding, keys };
  });
  return { bindings, problems };
}

function validKeys(id: string, keys: readonly string[], problems: string[]): readonly string[] {
  return keys.flatMap((key) => {
    const canonical = canonicalKey(key);
    if (canonical === null) problems.push(`${id}: ${JSON.stringify(key)} is not a key`);
    return canonical === null ? [] : [canonical];
  });
}

/** The key as it is spelled when it is pressed, or null: `Shift+Ctrl+K` → `ctrl+shift+k`. */
function canonicalKey(key: string): string | null {
  const parts = /^(?<modifiers>(?:(?:ctrl|alt|shift)\+)*)(?<base>.+)$/iu.exec(key.trim())?.groups;
  if (parts?.base === undefined) return null;
  const held = new Set(parts.modifiers?.toLowerCase().split('+').filter(Boolean));
  const { base } = parts;
  const isNamed = NAMED.has(base.toLowerCase()) || /^f(?:[1-9]|1\d|2[0-4])$/i.test(base);
  if (!isNamed && [...base].length !== 1) return null;
  // Without Ctrl or Alt a character says by itself whether Shift is held.
  const isPlain = !isNamed && !held.has('ctrl') && !held.has('alt');
  if (isPlain) return held.has('shift') ? null : base;
  const modifiers = ['ctrl', 'alt', 'shift'].filter((name) => held.has(name));
  return [...modifiers, base.toLowerCase()].join('+');
}

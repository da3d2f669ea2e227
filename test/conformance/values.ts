/** What a `$name` in a script stands for during one run. */
import type { Json } from '../../src/wire/json.ts';

const OPERATION = '$op.';

export class Values {
  /** Operation IDs are known to all of a service: no two runs use the same. */
  readonly #prefix: string;
  readonly #kept = new Map<string, Json>();
  readonly #operations = new Map<string, string>();

  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  keep(name: string, value: Json): void {
    this.#kept.set(name, value);
  }

  /** IDs that were used, and what the script calls them. */
  get operations(): ReadonlyMap<string, string> {
    return this.#operations;
  }

  resolve(value: Json): Json {
    if (typeof value === 'string') return value.startsWith('$') ? this.#find(value) : value;
    if (typeof value !== 'object' || value === null) return value;
    if (isArray(value)) return value.map((item) => this.resolve(item));
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, this.resolve(member)]));
  }

  #find(name: string): Json {
    if (!name.startsWith(OPERATION)) return this.#kept.get(name.slice(1)) ?? `missing ${name}`;
    const id = `${this.#prefix}-${name.slice(OPERATION.length)}`;
    // How often something was asked in vain depends on timing.
    this.#operations.set(id, name.slice(1).replace(/~\d+$/, ''));
    return id;
  }
}

export function isArray(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

export function isObject(value: Json): value is { readonly [key: string]: Json } {
  return typeof value === 'object' && value !== null && !isArray(value);
}

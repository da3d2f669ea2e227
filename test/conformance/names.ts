/** Identities that a service has chosen, as names in the order in which they appear. */
export class Names {
  readonly #names = new Map<string, string>();
  readonly #counts = new Map<string, number>();
  readonly #highest = new Map<string, number>();

  constructor(known: ReadonlyMap<string, string>) {
    for (const [id, name] of known) this.#names.set(id, `<${name}>`);
  }

  /** The name of an ID; a new one when it is new. */
  of(kind: string, id: string): string {
    return this.#names.get(id) ?? this.#name(kind, id);
  }

  /** The ID itself as long as nobody has named it. */
  known(id: string): string {
    return this.#names.get(id) ?? id;
  }

  /** Numbers of which only the order counts. */
  ordinal(kind: string, value: number): string {
    const key = `${kind} ${value}`;
    const known = this.#names.get(key);
    if (known !== undefined) return known;
    const highest = this.#highest.get(kind) ?? Number.NEGATIVE_INFINITY;
    this.#highest.set(kind, Math.max(highest, value));
    return `${this.#name(kind, key)}${value < highest ? ' (lower than before)' : ''}`;
  }

  #name(kind: string, id: string): string {
    const count = (this.#counts.get(kind) ?? 0) + 1;
    this.#counts.set(kind, count);
    const name = `<${kind} ${count}>`;
    this.#names.set(id, name);
    return name;
  }
}

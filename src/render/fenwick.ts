/** Numbers with running sums (a Fenwick tree): append, change, sum and search in O(log n). */
export class Fenwick {
  readonly #values: number[] = [];
  /** One-based: entry i covers the i & -i values that end at i. */
  readonly #tree: number[] = [0];

  constructor(values: Iterable<number> = []) {
    for (const value of values) this.push(value);
  }

  get length(): number {
    return this.#values.length;
  }

  get total(): number {
    return this.sumBefore(this.length);
  }

  /** The value at an index; 0 outside. */
  at(index: number): number {
    return this.#values[index] ?? 0;
  }

  push(value: number): void {
    this.#values.push(value);
    const position = this.#values.length;
    let sum = value;
    for (let child = position - 1; child > position - (position & -position); child -= child & -child) {
      sum += this.#tree[child] ?? 0;
    }
    this.#tree.push(sum);
  }

  pop(): void {
    if (this.#values.pop() !== undefined) this.#tree.pop();
  }

  set(index: number, value: number): void {
    const change = value - this.at(index);
    if (change === 0 || index < 0 || index >= this.length) return;
    this.#values[index] = value;
    for (let position = index + 1; position <= this.length; position += position & -position) {
      this.#tree[position] = (this.#tree[position] ?? 0) + change;
    }
  }

  /** Sum of the first `count` values. */
  sumBefore(count: number): number {
    let sum = 0;
    for (let position = Math.min(count, this.length); position > 0; position -= position & -position) {
      sum += this.#tree[position] ?? 0;
    }
    return sum;
  }

  /** The first index at which the running sum exceeds `target`; the length when there is none. Values ≥ 0. */
  find(target: number): number {
    let position = 0;
    let left = target;
    for (let step = 2 ** Math.floor(Math.log2(Math.max(1, this.length))); step >= 1; step /= 2) {
      const covered = this.#tree[position + step];
      if (position + step <= this.length && covered !== undefined && covered <= left) {
        position += step;
        left -= covered;
      }
    }
    return position;
  }
}

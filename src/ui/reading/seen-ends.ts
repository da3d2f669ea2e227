/**
 * Up to where each session was read in this window, so that who comes back sees where the new begins.
 * Invariant: a session's end moves only while the reader follows it.
 */
import type { State } from '../../store/state.ts';
import type { Block } from '../../transcript/blocks.ts';

export class SeenEnds {
  readonly #ends = new Map<string, string>();
  #session: string | null = null;
  /** The last block that was seen of a session that is just being read again. */
  #awaited: string | null = null;

  /**
   * Takes the state. Returns the block in front of which the new begins: null for none, undefined where that is as
   * it was before.
   */
  hear(state: State, reader: 'at-end' | 'elsewhere'): string | null | undefined {
    const id = state.session?.id ?? null;
    if (id !== this.#session) {
      this.#session = id;
      this.#awaited = id === null ? null : (this.#ends.get(id) ?? null);
      return null;
    }
    if (id === null || state.historyState === 'loading') return undefined;
    const awaited = this.#awaited;
    this.#awaited = null;
    if (reader === 'at-end') this.#remember(id, state);
    return awaited === null ? undefined : firstBehind(state.history, awaited);
  }

  #remember(id: string, { history, live }: State): void {
    const last = live?.blocks.at(-1) ?? history.at(-1);
    if (last !== undefined) this.#ends.set(id, last.id);
  }
}

function firstBehind(history: readonly Block[], id: string): string | null {
  const index = history.findIndex((block) => block.id === id);
  if (index < 0) return null;
  const isSeen = (block: Block): boolean => block.kind !== 'turn-end' || block.status !== 'completed';
  return history.slice(index + 1).find(isSeen)?.id ?? null;
}

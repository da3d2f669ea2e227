/**
 * Shows the picture that goes with the draft, on terminals that can draw one: the last PNG among the cards.
 * Invariants: at most one picture is with the terminal; it is taken back with its card and at the end; a file that
 * cannot be read is a card without a picture.
 */
import { readFile, stat } from 'node:fs/promises';
import type { Store } from '../../store/store.ts';
import type { View } from '../view.ts';
import { boxOf, handOver, TAKE_BACK } from './picture.ts';
import { pngSize } from './png.ts';

/** What goes through the terminal's line in a moment, bytes. */
const MAX_BYTES = 4 * 1_048_576;

export interface PreviewsParts {
  readonly view: Store<View>;
  readonly write: (bytes: string) => void;
}

export class Previews {
  readonly #parts: PreviewsParts;
  readonly #unsubscribe: () => void;
  /** The file whose picture is wanted; null for none. */
  #path: string | null = null;
  #isShown = false;

  constructor(parts: PreviewsParts) {
    this.#parts = parts;
    this.#unsubscribe = parts.view.subscribe(() => this.#follow());
    this.#follow();
  }

  /** Takes back what is shown. */
  close(): void {
    this.#unsubscribe();
    this.#clear();
  }

  #follow(): void {
    const { attachments } = this.#parts.view.getState();
    const path = attachments.findLast(({ name }) => /\.png$/i.test(name))?.path ?? null;
    if (path === this.#path) return;
    this.#path = path;
    this.#clear();
    if (path !== null) void this.#show(path);
  }

  async #show(path: string): Promise<void> {
    const png = await readPicture(path);
    const size = png === null ? null : pngSize(png);
    // Another card may have come meanwhile.
    if (png === null || size === null || path !== this.#path) return;
    const box = boxOf(size);
    this.#parts.write(handOver(png, box));
    this.#isShown = true;
    this.#parts.view.update((view) => ({ ...view, preview: box }));
  }

  #clear(): void {
    if (!this.#isShown) return;
    this.#isShown = false;
    this.#parts.view.update((view) => ({ ...view, preview: null }));
    this.#parts.write(TAKE_BACK);
  }
}

async function readPicture(path: string): Promise<Uint8Array | null> {
  try {
    const { size } = await stat(path);
    return size > MAX_BYTES ? null : await readFile(path);
  } catch {
    return null;
  }
}

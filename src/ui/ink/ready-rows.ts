/**
 * Rows that are ready for the terminal, past Ink's work on them (`ink-patch.mjs` puts this into Ink's code).
 * Our rows come painted, clean and measured. Ink would clean and measure each of them again in every frame, put
 * it letter by letter into a grid of cells, and read it out again: most of what a frame costs.
 * Invariants: the cells are those that Ink's own way gives; a row that is not ready, does not fit (the terminal
 * has just become narrower), or is not alone in its row goes Ink's own way.
 */

/** A node of Ink's tree. */
export interface InkNode {
  readonly attributes?: Readonly<Record<string, unknown>>;
  readonly childNodes?: readonly InkNode[];
  readonly nodeValue?: string;
}

/** The text of a ready row of at most `width` cells; null for any other node. */
export function readyRow({ attributes, childNodes = [] }: InkNode, width: number): string | null {
  const cells = attributes?.readyCells;
  const [only] = childNodes;
  if (typeof cells !== 'number' || cells > width || childNodes.length !== 1) return null;
  return only?.nodeValue ?? null;
}

/** Something that Ink's output was told to draw. */
interface Operation {
  readonly type: string;
  readonly x?: number;
  readonly y?: number;
  readonly text?: string;
  readonly isReady?: boolean;
}

/** Ink's `Output`, as far as it matters here. */
export interface InkOutput {
  readonly operations: Operation[];
  readonly height: number;
  write(x: number, y: number, text: string, options: { readonly transformers: readonly unknown[] }): void;
  get(): { readonly output: string; readonly height: number };
}

type InkOutputClass = new (size: { readonly width: number; readonly height: number }) => InkOutput;

/** Draws a ready row. @public for Ink's code */
export function writeReady(output: InkOutput, x: number, y: number, text: string): void {
  output.write(x, y, text, { transformers: [] });
  const last = output.operations.at(-1);
  if (last !== undefined) output.operations[output.operations.length - 1] = { ...last, isReady: true };
}

/** An `Output` that needs no cells where everything is ready rows. @public for Ink's code */
export function withReadyRows(Output: InkOutputClass): InkOutputClass {
  return class extends Output {
    override get(): { readonly output: string; readonly height: number } {
      const rows = rowsOf(this.operations, this.height);
      return rows === null ? super.get() : { output: rows.join('\n'), height: this.height };
    }
  };
}

/** The text of each row; null where something else was drawn. */
function rowsOf(operations: readonly Operation[], height: number): string[] | null {
  const rows: string[] = Array.from({ length: height }, () => '');
  for (const { isReady, text = '', x, y = -1 } of operations) {
    if (isReady !== true || x !== 0 || rows[y] !== '') return null;
    rows[y] = text.trimEnd();
  }
  return rows;
}

/** The bytes that turn one line into another. */
export type LineUpdate = (previous: string, next: string, columns: number | undefined) => string;

/** To the first column, and the rest of the line erased. */
const ANEW = '\u001b[1G\u001b[K';

/** A line that begins otherwise is written anew: measuring what little the two share costs more than it saves. */
export function withShortWay(update: LineUpdate): LineUpdate {
  return (previous, next, columns) => {
    const half = next.length / 2;
    return previous.slice(0, half) === next.slice(0, half)
      ? update(previous, next, columns)
      : `${ANEW}${next}`;
  };
}

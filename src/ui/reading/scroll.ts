/** Where the reader is in the talk. */
import type { RowAnchor } from '../../render/row-index.ts';

/** At the end and following it, or with a row of some block at the top. */
export type Scroll =
  | { readonly kind: 'tail' }
  | {
      readonly kind: 'at';
      readonly block: string;
      readonly row: number;
      /** The last row that there was when the end was left; null when that is not known. */
      readonly seen: RowAnchor | null;
    };

/** How a picture gets to the terminal: its box in cells, and the bytes that hand it over. Pure. */
import { MAX_PICTURE_ROWS, PICTURE_ID } from '../../render/picture-cells.ts';
import type { PngSize } from './png.ts';

/** Cells. */
export interface PictureBox {
  readonly columns: number;
  readonly rows: number;
}

const MAX_COLUMNS = 32;
/** A cell is about twice as high as it is wide. */
const CELL_RATIO = 2;
/** The protocol takes no more in one piece, letters of base64. */
const PIECE = 4_096;

/** The largest box for a picture of this size that keeps its shape. */
export function boxOf({ height, width }: PngSize): PictureBox {
  const columnsAtFull = (MAX_PICTURE_ROWS * CELL_RATIO * width) / height;
  if (columnsAtFull <= MAX_COLUMNS)
    return { columns: Math.max(1, Math.round(columnsAtFull)), rows: MAX_PICTURE_ROWS };
  const rows = (MAX_COLUMNS * height) / (width * CELL_RATIO);
  return { columns: MAX_COLUMNS, rows: Math.max(1, Math.round(rows)) };
}

/** Hands a PNG over, to be drawn where its cells are; the terminal says nothing to it. */
export function handOver(png: Uint8Array, { columns, rows }: PictureBox): string {
  const text = Buffer.from(png).toString('base64');
  const pieces = text.match(new RegExp(`.{1,${PIECE}}`, 'g')) ?? [];
  return pieces
    .map((piece, index) => {
      const more = index < pieces.length - 1 ? 1 : 0;
      const about = index === 0 ? `a=T,U=1,i=${PICTURE_ID},f=100,c=${columns},r=${rows},q=2,` : 'q=2,';
      return `\u001b_G${about}m=${more};${piece}\u001b\\`;
    })
    .join('');
}

/** Takes the picture back. */
export const TAKE_BACK = `\u001b_Ga=d,d=I,i=${PICTURE_ID},q=2\u001b\\`;

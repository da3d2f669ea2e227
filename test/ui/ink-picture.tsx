/** What Ink makes of rows; bundled with and without our patch of it. */
import { renderToString } from 'ink';
import { paint } from '../../src/render/paint.ts';
import { PALETTES } from '../../src/render/palette.ts';
import type { Row } from '../../src/render/row.ts';
import { Lines } from '../../src/ui/components/Lines.tsx';

export function picture(rows: readonly Row[], columns: number): string {
  return renderToString(<Lines rows={rows} paint={(row) => paint(row, PALETTES.dark, { links: 'osc8' })} />, {
    columns,
  });
}

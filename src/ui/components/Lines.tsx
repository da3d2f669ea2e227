import { Box } from 'ink';
import { createElement, memo, type ReactElement } from 'react';
import type { Row } from '../../render/row.ts';

/** A row of known height is not measured to be laid out. */
const ROW_STYLE = {
  flexGrow: 0,
  flexShrink: 0,
  height: 1,
  flexDirection: 'row',
  textWrap: 'truncate',
} as const;

interface LineProps {
  /** Painted: clean, with its escape sequences. */
  readonly text: string;
  readonly cells: number;
}

/** One terminal row, as Ink's own element of text: its `Text` would add steps that have nothing to do here. */
const Line = memo(function Line({ text, cells }: LineProps): ReactElement {
  return createElement('ink-text', { style: ROW_STYLE, readyCells: cells }, text === '' ? ' ' : text);
});

/** Rows from top to bottom. A row is known by its place, so only changed ones are drawn again. */
export function Lines({
  rows,
  paint,
}: {
  readonly rows: readonly Row[];
  readonly paint: (row: Row) => string;
}): ReactElement {
  return (
    <Box flexDirection="column">
      {rows.map((row, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row of the screen is its place
        <Line key={index} text={paint(row)} cells={row.width} />
      ))}
    </Box>
  );
}

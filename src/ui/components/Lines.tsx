import { Box, Text } from 'ink';
import { memo, type ReactElement } from 'react';

/** One terminal row: a ready string of at most the terminal's width. */
const Line = memo(function Line({ text }: { readonly text: string }): ReactElement {
  return <Text wrap="truncate">{text === '' ? ' ' : text}</Text>;
});

/** Rows from top to bottom. A row is known by its place, so only changed ones are drawn again. */
export function Lines({ lines }: { readonly lines: readonly string[] }): ReactElement {
  return (
    <Box flexDirection="column">
      {lines.map((text, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row of the screen is its place
        <Line key={index} text={text} />
      ))}
    </Box>
  );
}

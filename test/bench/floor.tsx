/** The floor of the start bench: Ink, one prompt, one key. */
import { Box, render, Text, useInput } from 'ink';
import { type ReactElement, useState } from 'react';

function Floor(): ReactElement {
  const [typed, setTyped] = useState('');
  useInput((input) => setTyped((before) => before + input));
  return (
    <Box flexDirection="column" height={process.stdout.rows - 1}>
      <Text>{`› ${typed}`}</Text>
    </Box>
  );
}

render(<Floor />, { alternateScreen: true });

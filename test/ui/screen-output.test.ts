/** What the terminal gets of what the renderer writes. */
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { ScreenOutput } from '../../src/ui/screen-output.ts';

function output(): { screen: ScreenOutput; writes: string[] } {
  const writes: string[] = [];
  const stdout = new PassThrough();
  stdout.write = ((chunk: unknown) => {
    writes.push(String(chunk));
    return true;
  }) as typeof stdout.write;
  return { screen: new ScreenOutput(stdout as unknown as NodeJS.WriteStream), writes };
}

const frame = ['\u001b[?2026h', 'rows', 'more rows', '\u001b[?2026l'];

test('a frame is one write, and what is between frames goes out as it comes', () => {
  const { screen, writes } = output();
  for (const text of ['before', ...frame, 'after']) screen.stream.write(text);
  expect(writes).toEqual(['before', frame.join(''), 'after']);
});

test('whoever waits for a write gets everything before it out', () => {
  const { screen, writes } = output();
  screen.stream.write('\u001b[?2026h');
  screen.stream.write('rows');
  screen.stream.write('last', () => undefined);
  expect(writes).toEqual(['\u001b[?2026hrows', 'last']);
});

test('nothing is written once it is muted', () => {
  const { screen, writes } = output();
  screen.stream.write('\u001b[?2026h');
  screen.mute();
  for (const text of frame) screen.stream.write(text);
  expect(writes).toEqual([]);
});

import { expect, test } from 'vitest';
import { fitHistory } from '../../src/agent/provider/history.ts';
import type { HistoryItem } from '../../src/agent/runtime.ts';

const user = (text: string): HistoryItem => ({ kind: 'user', text });
const assistant = (text: string): HistoryItem => ({ kind: 'assistant', text });
const history = [
  user('a'.repeat(90)),
  assistant('b'.repeat(90)),
  user('c'.repeat(90)),
  assistant('d'.repeat(90)),
];

test.each([
  ['an unknown window', null, 0],
  ['a window that is large enough', 1000, 0],
  ['a window for one turn and a half', 150, 2],
  ['a window for one turn', 101, 2],
  ['a window for less than a turn', 60, 4],
])('%s keeps whole turns from the end', (_name, window, start) => {
  expect(fitHistory(history, window)).toEqual(history.slice(start));
});

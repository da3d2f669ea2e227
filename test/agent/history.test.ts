import { expect, test } from 'vitest';
import { fitHistory } from '../../src/agent/history-size.ts';
import type { HistoryItem } from '../../src/agent/runtime.ts';

const user = (text: string): HistoryItem => ({ kind: 'user', text });
const assistant = (text: string): HistoryItem => ({ kind: 'assistant', text });
/** 20 tokens each. */
const history = [
  user('a'.repeat(70)),
  assistant('b'.repeat(70)),
  user('c'.repeat(70)),
  assistant('d'.repeat(70)),
];

test.each([
  ['a window that is large enough', 1000, 0],
  ['a window for one turn and a half', 110, 2],
  ['a window for one turn', 68, 2],
  ['a window for less than a turn', 60, 4],
])('%s keeps whole turns from the end', (_name, window, start) => {
  expect(fitHistory(history, window)).toEqual(history.slice(start));
});

test('a summary stays in front of what is kept', () => {
  const summary: HistoryItem = { kind: 'summary', text: 's'.repeat(35) };
  expect(fitHistory([summary, ...history], 1000)).toEqual([summary, ...history]);
  expect(fitHistory([summary, ...history], 110)).toEqual([summary, ...history.slice(2)]);
  expect(fitHistory([summary, ...history], 20)).toEqual([summary]);
});

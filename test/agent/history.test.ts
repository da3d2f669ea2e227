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
  ['room that is large enough', 600, 0],
  ['room for one turn and a half', 66, 2],
  ['room for one turn', 40.8, 2],
  ['room for less than a turn', 36, 4],
])('%s keeps whole turns from the end', (_name, tokens, start) => {
  expect(fitHistory(history, tokens)).toEqual(history.slice(start));
});

test('a summary stays in front of what is kept', () => {
  const summary: HistoryItem = { kind: 'summary', text: 's'.repeat(35) };
  expect(fitHistory([summary, ...history], 600)).toEqual([summary, ...history]);
  expect(fitHistory([summary, ...history], 66)).toEqual([summary, ...history.slice(2)]);
  expect(fitHistory([summary, ...history], 12)).toEqual([summary]);
});

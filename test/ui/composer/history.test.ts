import { describe, expect, it } from 'vitest';
import {
  HISTORY_LIMIT,
  historyJoined,
  historyNext,
  historyOf,
  historyPrevious,
  historySent,
  type PromptHistory,
} from '../../../src/ui/composer/history.ts';

/** Walks; returns the texts shown. A string types that text instead. */
function walk(
  start: PromptHistory,
  draft: string,
  moves: readonly ('up' | 'down' | { readonly edit: string })[],
) {
  let history = start;
  let shown = draft;
  const texts: string[] = [];
  for (const move of moves) {
    if (typeof move === 'object') shown = move.edit;
    else {
      const step = move === 'up' ? historyPrevious(history, shown) : historyNext(history, shown);
      if (step !== null) ({ history, text: shown } = step);
    }
    texts.push(shown);
  }
  return { texts, history };
}

describe('prompt history (FC-12)', () => {
  const sent = historyOf(['first', 'second']);

  it('brings the draft back', () => {
    expect(walk(sent, 'draft', ['up', 'up', 'up', 'down', 'down', 'down']).texts).toEqual([
      'second',
      'first',
      'first',
      'second',
      'draft',
      'draft',
    ]);
  });

  it('keeps edits of older messages until something is sent', () => {
    const { texts, history } = walk(sent, '', ['up', { edit: 'second!' }, 'up', 'down', 'down', 'up']);
    expect(texts).toEqual(['second', 'second!', 'first', 'second!', '', 'second!']);
    expect(walk(historySent(history, 'second!'), '', ['up', 'up', 'up']).texts).toEqual([
      'second!',
      'second',
      'first',
    ]);
  });

  it('keeps no repeats, nothing blank, and a bounded number', () => {
    expect(historySent(sent, 'second').entries).toEqual(['first', 'second']);
    expect(historySent(sent, ' \n').entries).toEqual(['first', 'second']);
    const full = historyOf(Array.from({ length: HISTORY_LIMIT + 5 }, (_, index) => String(index)));
    expect(full.entries.length).toBe(HISTORY_LIMIT);
    expect(historySent(full, 'x').entries.at(0)).toBe('6');
  });
});

describe('messages that were sent elsewhere', () => {
  const sent = historyOf(['a', 'b', 'c']);

  it('stand before what is known, or as the newest, each once', () => {
    expect(historyJoined(sent, ['x', 'b'], 'before').entries).toEqual(['x', 'a', 'b', 'c']);
    expect(historyJoined(sent, ['x', 'b'], 'newest').entries).toEqual(['a', 'c', 'x', 'b']);
  });

  it('wait while somebody walks or has edited', () => {
    const walked = historyPrevious(sent, 'draft')?.history ?? sent;
    expect(historyJoined(walked, ['x'], 'newest')).toBe(walked);
  });
});

import { describe, expect, it } from 'vitest';
import { messagesFound } from '../../../src/ui/completion/history-search.ts';
import {
  searched,
  searchMoved,
  searchOpened,
  searchTaken,
  searchTyped,
} from '../../../src/ui/completion/history-steps.ts';
import { historyOf } from '../../../src/ui/composer/history.ts';
import { bufferOf, deleteBack, undo } from '../../../src/ui/composer/text-buffer.ts';
import { initialView, type View } from '../../../src/ui/view.ts';

const SENT = ['run the tests', 'fix the upload test', 'explain retry', 'run the tests'];

function opened(): View {
  const view = initialView({ columns: 80, rows: 24 }, 0);
  return searchOpened({ ...view, prompts: historyOf(SENT), draft: bufferOf('half a thought') });
}

const texts = (view: View) => view.historySearch?.found.map(({ text }) => text);

describe('finding a sent message', () => {
  it('shows the newest first, each once', () => {
    expect(texts(opened())).toEqual(['run the tests', 'explain retry', 'fix the upload test']);
  });

  it('follows the field and chooses within what is found', () => {
    const sought = searchTyped(opened(), 'up\nload');
    expect(sought.historySearch?.field.text).toBe('up load');
    expect(texts(sought)).toEqual(['fix the upload test']);
    expect(searchMoved(sought, 5).historySearch?.selected).toBe(0);
    const field = sought.historySearch?.field ?? bufferOf('');
    expect(texts(searched(sought, deleteBack(field)))).toEqual(['fix the upload test']);
  });

  it('leaves the draft alone until one is taken, and then undo brings it back', () => {
    const chosen = searchMoved(opened(), 1);
    expect(chosen.draft.text).toBe('half a thought');
    const taken = searchTaken(chosen);
    expect(taken).toMatchObject({ historySearch: null, draft: { text: 'explain retry' } });
    expect(undo(taken.draft).text).toBe('half a thought');
    expect(searchTaken(searchTyped(opened(), 'zzz')).draft.text).toBe('half a thought');
  });

  it('prefers the newer of two that match as well', () => {
    expect(messagesFound(['ask one', 'ask two'], 'ask').map(({ text }) => text)).toEqual([
      'ask two',
      'ask one',
    ]);
  });
});

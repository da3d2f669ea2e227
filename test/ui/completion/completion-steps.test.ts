import { describe, expect, it } from 'vitest';
import {
  acceptedOffer,
  answered,
  chosenOffer,
  dismissedList,
  followed,
  movedChoice,
  openCompletion,
} from '../../../src/ui/completion/completion-steps.ts';
import type { FileAnswer } from '../../../src/ui/completion/file-talk.ts';
import { bufferOf, insert, moveTo, undo } from '../../../src/ui/composer/text-buffer.ts';
import { initialView, type View } from '../../../src/ui/view.ts';

/** A view whose draft is the text with the caret at the bar, as after an edit. */
function written(marked: string, before: View = initialView({ columns: 80, rows: 24 }, 0)): View {
  const draft = moveTo(bufferOf(marked.replace('|', '')), marked.indexOf('|'));
  return followed({ ...before, draft });
}

function typed(view: View, text: string): View {
  let seen = view;
  for (const letter of text) seen = followed({ ...seen, draft: insert(seen.draft, letter) });
  return seen;
}

function answer(query: string, paths: readonly string[], more: Partial<FileAnswer> = {}): FileAnswer {
  const items = paths.map((path) => ({ path, marks: [] }));
  return { kind: 'answer', query, items, total: paths.length, size: 9, state: 'complete', ...more };
}

const offers = (view: View) => openCompletion(view)?.offers.map(({ value }) => value) ?? null;

describe('the list of offers', () => {
  it('opens for a command, follows the letters and closes with the word', () => {
    const slash = written('/|');
    expect(offers(slash)?.length).toBeGreaterThan(4);
    expect(offers(typed(slash, 'hel'))?.[0]).toBe('help');
    expect(offers(typed(slash, 'help '))).toBeNull();
    expect(offers(written('|/'))).toBeNull();
  });

  it('belongs to its draft: another draft closes it', () => {
    const open = written('/he|');
    expect(openCompletion({ ...open, draft: bufferOf('/he') })).toBeNull();
  });

  it('stays closed for a word until another one begins', () => {
    const shut = dismissedList(written('/he|'));
    expect(openCompletion(shut)).toBeNull();
    expect(offers(typed(shut, 'l'))).toBeNull();
    const left = written('|', typed(shut, 'l'));
    expect(offers(typed(left, '/h'))?.[0]).toBe('help');
  });

  it('chooses round the ends', () => {
    const open = written('/|');
    const count = offers(open)?.length ?? 0;
    expect(openCompletion(movedChoice(open, -1))?.selected).toBe(count - 1);
    expect(openCompletion(movedChoice(movedChoice(open, -1), 1))?.selected).toBe(0);
  });

  it('puts a command in the place of the word', () => {
    const taken = acceptedOffer(written('/sess|'));
    expect(taken.draft).toMatchObject({ text: '/sessions ', caret: 10 });
    expect(undo(taken.draft).text).toBe('/sess');
  });
});

describe('offered files', () => {
  it('come with the answer to this very question', () => {
    const asked = written('see @v|');
    expect(offers(asked)).toEqual([]);
    expect(chosenOffer(asked)).toBeNull();
    expect(offers(answered(asked, answer('w', ['w.ts'])))).toEqual([]);
    expect(offers(answered(asked, answer('v', ['view.ts', 'v/'])))).toEqual(['view.ts', 'v/']);
  });

  it('always match what is written, also before the next answer', () => {
    const open = answered(written('@v|'), answer('v', ['view.ts', 'vast.ts', 'v/']));
    expect(offers(typed(open, 'i'))).toEqual(['view.ts']);
    expect(offers(typed(open, 'x'))).toEqual([]);
  });

  it('keep the choice while more of them come', () => {
    const open = movedChoice(answered(written('@v|'), answer('v', ['a-v', 'b-v'])), 1);
    const more = answered(open, answer('v', ['0-v', 'a-v', 'b-v']));
    expect(chosenOffer(more)?.value).toBe('b-v');
  });

  it.each([
    ['see @vi|', 'view.ts', 'see @view.ts |'],
    ['see @vi| now', 'view.ts', 'see @view.ts| now'],
    ['@a|', 'a file.md', '@"a file.md" |'],
    ['@"a f|', 'a file.md', '@"a file.md" |'],
    ['@s|', 'src/', '@src/|'],
    ['@m|', 'my docs/', '@"my docs/|'],
    ['@"m|" x', 'mine.ts', '@"mine.ts"| x'],
  ])('%j and %j become %j', (marked, path, becomes) => {
    const open = written(marked);
    const query = openCompletion(open)?.trigger.query ?? '';
    const { caret, text } = acceptedOffer(answered(open, answer(query, [path]))).draft;
    expect(`${text.slice(0, caret)}|${text.slice(caret)}`).toBe(becomes);
  });

  it('stay open for what lies in a folder', () => {
    const open = answered(written('@s|'), answer('s', ['src/']));
    expect(openCompletion(followed(acceptedOffer(open)))?.trigger.query).toBe('src/');
  });
});

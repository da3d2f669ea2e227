/** Searching the talk: what the keys of it do, and what each typed character does. */

import type { TextBuffer } from '../composer/text-buffer.ts';
import { bufferOf } from '../composer/text-buffer.ts';
import type { Desk, Handler } from '../desk.ts';
import type { CommandId } from '../keys/bindings.ts';
import { type Found, type FoundPlace, numberOf, placeOf } from '../reading/finder.ts';
import { withFold } from '../reading/folds.ts';
import { locate } from '../reading/found-rows.ts';
import { needleOf } from '../reading/needle.ts';
import type { Search } from '../reading/reading.ts';
import { talkArea } from '../screens/chat.ts';
import type { View } from '../view.ts';
import { EDITS } from './draft-edits.ts';

/** Opens the field with what was searched for last. */
export function startSearch(desk: Desk): void {
  desk.view.update((seen) => ({
    ...seen,
    browse: null,
    search: { field: bufferOf(seen.sought), back: seen.scroll, folds: seen.look.folds, at: null },
  }));
  seek(desk);
}

export const runSearch: Handler = (command, desk) => {
  const { search } = desk.view.getState();
  if (search === null) return;
  switch (command) {
    case 'search.next':
      step(desk, 1);
      return;
    case 'search.previous':
      step(desk, -1);
      return;
    case 'search.keep':
      desk.view.update((seen) => ({ ...seen, search: null }));
      return;
    case 'search.close':
      desk.view.update((seen) => searchLeft(seen, search));
      return;
  }
};

/** Back to where the search began, with everything folded as it was. */
export function searchLeft(view: View, { back, folds }: Search): View {
  return { ...view, search: null, scroll: back, look: { ...view.look, folds } };
}

/** Edits the field with a writing key; those that do not edit a line do nothing here. */
export function runField(desk: Desk, command: CommandId): void {
  const edit = command === 'composer.newline' ? undefined : EDITS[command];
  if (edit !== undefined) editField(desk, edit);
}

/** Changes what is searched for, and goes to the first find from where the search began. */
export function editField(desk: Desk, change: (field: TextBuffer) => TextBuffer): void {
  const { search } = desk.view.getState();
  if (search === null) return;
  const changed = change(search.field);
  const field = changed.text.includes('\n') ? bufferOf(changed.text.replaceAll(/\s*\n\s*/g, ' ')) : changed;
  const isSame = field.text === search.field.text;
  desk.view.update((seen) => ({
    ...seen,
    sought: field.text,
    search: { ...search, field },
  }));
  if (!isSame) seek(desk);
}

function step(desk: Desk, by: 1 | -1): void {
  const { search } = desk.view.getState();
  if (search === null) return;
  const found = foundBy(desk, search.field.text);
  const number = search.at === null ? 0 : numberOf(found, search.at);
  const isFirst = found.total === 0 || number + by < 1;
  const { above } = desk.store.getState().edges;
  if (isFirst && needleOf(search.field.text) !== null && (above === 'more' || above === 'failed'))
    void searchEarlier(desk, search.field.text, found.total);
  else if (search.at === null) seek(desk);
  else go(desk, found, placeOf(found, number + by));
}

/** Reads older messages, and goes to the last find among them. */
async function searchEarlier(desk: Desk, text: string, known: number): Promise<void> {
  desk.say('Reading earlier messages…');
  await desk.conversation.pages.earlier();
  const { search } = desk.view.getState();
  if (search === null || search.field.text !== text) return;
  const found = foundBy(desk, text);
  const more = found.total - known;
  if (more > 0) go(desk, found, placeOf(found, more));
  const isAll = desk.store.getState().edges.above === 'beginning';
  if (isAll)
    desk.say(more > 0 ? 'This is the beginning of the session.' : 'Not found: this is the beginning.');
  else desk.say(more > 0 ? `${more} more.` : `Nothing in the earlier messages: again reads on.`);
}

/** The first find at or below the top of where the search began, else the last one above. */
function seek(desk: Desk): void {
  const { search } = desk.view.getState();
  if (search === null) return;
  const found = foundBy(desk, search.field.text);
  const [state, view] = [desk.store.getState(), desk.view.getState()];
  const window = desk.talk.window(state, search.back, talkArea({ state, view }));
  const top = window.places.find(({ row }) => row >= 0)?.block.id;
  const isBelow = (id: string): boolean => top === undefined || desk.talk.order(id, top) >= 0;
  const first = found.blocks.find(({ id }) => isBelow(id)) ?? found.blocks.at(-1);
  go(desk, found, first === undefined ? null : { block: first.id, nth: 0 });
}

function go(desk: Desk, found: Found, at: FoundPlace | null): void {
  desk.view.update((seen) =>
    seen.search === null
      ? seen
      : { ...seen, search: { ...seen.search, at }, scroll: at === null ? seen.search.back : seen.scroll },
  );
  if (found.total > 0 && at !== null) visitPlace(desk, at, desk.view.getState().sought);
}

/** Brings a find into view; a block that hides it is unfolded. */
export function visitPlace(desk: Desk, { block, nth }: FoundPlace, sought: string): void {
  const needle = needleOf(sought);
  if (needle === null) return;
  const look = (): ReturnType<typeof locate> => {
    const [state, view] = [desk.store.getState(), desk.view.getState()];
    return locate(desk.talk.rows(state, talkArea({ state, view }), block), needle, nth);
  };
  let place = look();
  if (place === null || !place.exact) {
    unfold(desk, block);
    place = look();
  }
  const [state, view] = [desk.store.getState(), desk.view.getState()];
  const target = { block, row: place?.row ?? 0 };
  const scroll = desk.talk.revealed(state, view.scroll, talkArea({ state, view }), target);
  desk.view.update((seen) => ({ ...seen, scroll }));
}

/** The block with all its rows, and the tasks that hide it. */
function unfold(desk: Desk, id: string): void {
  const block = desk.talk.block(id);
  const cards = block?.kind === 'tool' ? (block.under ?? []) : [];
  desk.view.update((seen) => {
    const shown = cards.reduce((folds, card) => withFold(folds, card, 'open'), seen.look.folds);
    return { ...seen, look: { ...seen.look, folds: withFold(shown, id, 'all') } };
  });
}

function foundBy({ store, talk }: Desk, text: string): Found {
  return talk.found(store.getState(), text);
}

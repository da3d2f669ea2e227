/**
 * How the search for a sent message opens, follows its field and closes. Pure steps from view to view.
 * Invariant: the draft is not touched until a message is taken.
 */
import { withText } from '../composer/draft.ts';
import { EMPTY_BUFFER, insert, type TextBuffer } from '../composer/text-buffer.ts';
import type { View } from '../view.ts';
import { messagesFound } from './history-search.ts';

/** The view with the search open, showing what was sent last. */
export function searchOpened(view: View): View {
  return searched(view, EMPTY_BUFFER);
}

/** The view with another text in the field. */
export function searched(view: View, field: TextBuffer): View {
  const before = view.historySearch?.field.text;
  const { entries } = view.prompts;
  const found =
    before === field.text && view.historySearch !== null
      ? view.historySearch.found
      : messagesFound(entries, field.text);
  const selected = before === field.text ? (view.historySearch?.selected ?? 0) : 0;
  return { ...view, historySearch: { field, found, selected } };
}

/** The view with text put into the field; it has one line. */
export function searchTyped(view: View, text: string): View {
  if (view.historySearch === null) return view;
  return searched(view, insert(view.historySearch.field, text.replaceAll(/[\n\t]+/g, ' ')));
}

/** The view with the message chosen that lies so many further; it stops at the ends. */
export function searchMoved(view: View, by: number): View {
  const { historySearch: search } = view;
  if (search === null) return view;
  const selected = Math.max(0, Math.min(search.found.length - 1, search.selected + by));
  return { ...view, historySearch: { ...search, selected } };
}

/** The view with the search closed and the chosen message as the draft; undo brings back what was there. */
export function searchTaken(view: View): View {
  const { historySearch: search } = view;
  const chosen = search?.found[search.selected];
  const left = { ...view, historySearch: null };
  return chosen === undefined ? left : withText(left, chosen.text);
}

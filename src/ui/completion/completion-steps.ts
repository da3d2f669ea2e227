/**
 * How the list of offers opens, follows the draft and closes. Pure steps from view to view.
 *
 * Invariants:
 * - a list belongs to one draft: any change of the draft from elsewhere closes it;
 * - what is offered always matches what is written, also while the worker has not answered yet;
 * - a list that was closed stays closed until another word is begun.
 */
import fuzzysort from 'fuzzysort';
import { replaceRange, type TextBuffer } from '../composer/text-buffer.ts';
import type { View } from '../view.ts';
import type { Completion, Offer } from './completion.ts';
import type { FileAnswer } from './file-talk.ts';
import { matchingCommands } from './slash-commands.ts';
import { type Trigger, triggerOf } from './trigger.ts';

/** The open list, if it still belongs to the draft. */
export function openCompletion({ completion, draft }: View): Completion | null {
  return completion !== null && completion.draft === draft ? completion : null;
}

/** The view after its draft was edited: the list opens, follows or closes. */
export function followed(view: View): View {
  const { completion, dismissed, draft } = view;
  if (completion !== null && completion.draft === draft) return view;
  const trigger = triggerOf(draft);
  if (trigger === null) return completion === null && dismissed === null ? view : closed(view, null);
  if (dismissed === wordOf(trigger)) return closed(view, dismissed);
  const before = completion !== null && wordOf(completion.trigger) === wordOf(trigger) ? completion : null;
  return { ...view, dismissed: null, completion: offered(draft, trigger, before) };
}

function closed(view: View, dismissed: string | null): View {
  return { ...view, completion: null, dismissed };
}

function offered(draft: TextBuffer, trigger: Trigger, before: Completion | null): Completion {
  const { kind, query } = trigger;
  if (kind === 'command') {
    const offers = matchingCommands(query).map(({ command, marks }) => ({
      value: command.name,
      detail: command.title,
      marks,
    }));
    return { kind, draft, trigger, offers, selected: 0, walk: 'complete', total: offers.length };
  }
  const kept = before === null ? [] : narrowed(before.offers, query);
  return {
    kind,
    draft,
    trigger,
    offers: kept,
    selected: 0,
    walk: before?.walk ?? 'complete',
    total: kept.length,
  };
}

/** What is left of older offers until the worker answers. */
function narrowed(offers: readonly Offer[], query: string): readonly Offer[] {
  if (query === '') return [];
  return fuzzysort
    .go(query, offers, { key: 'value', limit: 0, threshold: 0 })
    .map((result) => ({ ...result.obj, marks: [...result.indexes] }));
}

/** The view after the worker has answered; an answer to another question changes nothing. */
export function answered(view: View, answer: FileAnswer): View {
  const open = openCompletion(view);
  if (open === null || open.kind !== 'file') return view;
  if (answer.state !== 'failed' && answer.query !== open.trigger.query) return view;
  const chosen = open.selected === 0 ? null : (open.offers[open.selected]?.value ?? null);
  const offers = answer.items.map(({ marks, path }) => ({ value: path, detail: '', marks }));
  const at = offers.findIndex(({ value }) => value === chosen);
  return {
    ...view,
    completion: {
      ...open,
      offers,
      selected: Math.max(0, at),
      walk: answer.state,
      total: answer.total,
    },
  };
}

/** The view with the offer chosen that lies so many further down; the ends meet. */
export function movedChoice(view: View, by: number): View {
  const open = openCompletion(view);
  const count = open?.offers.length ?? 0;
  if (open === null || count === 0) return view;
  return { ...view, completion: { ...open, selected: (open.selected + by + count) % count } };
}

/** The offer that is chosen now, or null. */
export function chosenOffer(view: View): Offer | null {
  const open = openCompletion(view);
  return open?.offers[open.selected] ?? null;
}

/** The view with the list closed for the word at the caret. */
export function dismissedList(view: View): View {
  const open = openCompletion(view);
  return open === null ? view : closed(view, wordOf(open.trigger));
}

/** The view with the chosen offer in the draft; a folder stays open for what lies in it. */
export function acceptedOffer(view: View): View {
  const open = openCompletion(view);
  const offer = chosenOffer(view);
  if (open === null || offer === null) return view;
  const { end, start } = open.trigger;
  const insert =
    open.kind === 'command' ? `/${offer.value} ` : fileWord(offer.value, draftQuote(view, start));
  const behind = view.draft.text.slice(end);
  const isSpaced = insert.endsWith(' ') && /^[ \t]/.test(behind);
  return {
    ...view,
    draft: replaceRange(view.draft, { start, end, insert: isSpaced ? insert.slice(0, -1) : insert }),
  };
}

function draftQuote({ draft }: View, start: number): 'quoted' | 'plain' {
  return draft.text[start + 1] === '"' ? 'quoted' : 'plain';
}

/** A path as it stands in a draft: in quotes when it would end too early, and still open when it is a folder. */
function fileWord(path: string, before: 'quoted' | 'plain'): string {
  const quote = before === 'quoted' || /[\s"]/u.test(path) ? '"' : '';
  return path.endsWith('/') ? `@${quote}${path}` : `@${quote}${path}${quote} `;
}

function wordOf({ kind, start }: Trigger): string {
  return `${kind} ${start}`;
}

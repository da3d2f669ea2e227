/**
 * The reader of a session that is too long to be held whole: reads the pages that they will need next, and
 * tells where they are, so that what is far from there can go.
 */
import type { Desk } from './desk.ts';
import { talkArea } from './screens/chat.ts';

/** @param how `asked` when a key asked to go there: then pages that could not be read are tried again */
export function turnPages(
  { conversation, store, talk, view }: Pick<Desk, 'conversation' | 'store' | 'talk' | 'view'>,
  how: 'asked' | 'unasked',
): void {
  const seen = view.getState();
  const { pages } = conversation;
  pages.follow(seen.scroll.kind === 'at' ? seen.scroll.block : null);
  const state = store.getState();
  const { above, below, passed } = state.edges;
  const hasAbove = above === 'more' || (above === 'failed' && how === 'asked');
  if (passed !== null || (!hasAbove && below !== 'more')) return;
  const reach = talk.reach(state, seen.scroll, talkArea({ state, view: seen }));
  if (hasAbove && reach.above) void pages.earlier();
  else if (below === 'more' && reach.below) void pages.later();
}

/** While nobody waits for it, the next page is made ready; behind the picture of this one. */
export function prepareNextPage({ store, talk, view }: Pick<Desk, 'store' | 'talk' | 'view'>): void {
  setImmediate(() => {
    const [state, seen] = [store.getState(), view.getState()];
    talk.prepare(state, seen.scroll, talkArea({ state, view: seen }));
  });
}

/** Goes to where the session begins, however many pages lie before it, unless the reader goes elsewhere meanwhile. */
export async function goToBeginning({ conversation, store, talk, view }: Desk): Promise<void> {
  const { pages } = conversation;
  const { scroll } = view.getState();
  const unsubscribe = view.subscribe(() => {
    if (view.getState().scroll !== scroll) pages.interrupt();
  });
  const hasArrived = await pages.beginning();
  unsubscribe();
  if (!hasArrived) return;
  const state = store.getState();
  view.update((seen) => {
    const area = talkArea({ state, view: seen });
    return { ...seen, scroll: talk.scrolled(state, seen.scroll, area, Number.NEGATIVE_INFINITY) };
  });
}

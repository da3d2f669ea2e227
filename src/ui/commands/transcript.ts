/** What the reading keys do. */
import type { Desk, Handler } from '../desk.ts';
import type { TalkLook } from '../reading/talk-look.ts';
import { talkArea } from '../screens/chat.ts';
import { goToBeginning, prepareNextPage, turnPages } from '../turn-pages.ts';
import type { Scroll } from '../view.ts';
import { startBrowse } from './browse.ts';
import { copyLastAnswer } from './copy.ts';
import { foldThinking, foldTools } from './fold-view.ts';
import { scrollTalk } from './scroll-talk.ts';
import { startSearch } from './search.ts';

export const runTranscript: Handler = (command, desk) => {
  switch (command) {
    case 'transcript.browse':
      startBrowse(desk);
      return;
    case 'transcript.search':
      startSearch(desk);
      return;
    case 'transcript.fold-tools':
      foldTools(desk);
      return;
    case 'transcript.fold-thinking':
      foldThinking(desk);
      return;
    case 'transcript.copy-answer':
      copyLastAnswer(desk);
      return;
    case 'transcript.top':
      void goToBeginning(desk);
      return;
  }
  const [state, view] = [desk.store.getState(), desk.view.getState()];
  const scroll = scrollTalk(command, state, view, desk.talk);
  if (scroll === null) return;
  const look = lookAfter(desk, scroll);
  desk.view.update((seen) => ({ ...seen, scroll, look }));
  turnPages(desk, 'asked');
  prepareNextPage(desk);
};

/** Coming back to the end, a line stands in front of the first block that came meanwhile; leaving it, none. */
function lookAfter({ store, talk, view }: Desk, to: Scroll): TalkLook {
  const [state, seen] = [store.getState(), view.getState()];
  const { look, scroll: from } = seen;
  if (from.kind === to.kind) return look;
  if (from.kind === 'tail' || from.seen === null) return { ...look, unread: null };
  const first = talk.neighbour(state, from, talkArea({ state, view: seen }), { from: from.seen.key, by: 1 });
  return { ...look, unread: first?.id ?? null };
}

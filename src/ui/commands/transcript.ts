/** What the reading keys do. */
import type { Handler } from '../desk.ts';
import { scrollTalk } from './scroll-talk.ts';

export const runTranscript: Handler = (command, { store, talk, view }) => {
  const scroll = scrollTalk(command, store.getState(), view.getState(), talk);
  if (scroll !== null) view.update((seen) => ({ ...seen, scroll }));
};

/** What the keys of the activity do. */
import type { Block } from '../../transcript/blocks.ts';
import { released } from '../activity/activity-view.ts';
import { type ActivityLine, activityLines, chosenLine } from '../activity/lines.ts';
import { shownTurn } from '../activity/shown-turn.ts';
import type { Desk, Handler } from '../desk.ts';
import { talkArea } from '../screens/chat.ts';
import type { TalkArea } from '../talk.ts';
import { openDetail } from './detail.ts';
import { movedEntry } from './moved-entry.ts';

export const runActivity: Handler = (command, desk) => {
  const { view } = desk;
  switch (command) {
    case 'activity.fold':
      fold(desk);
      return;
    case 'activity.open':
      open(desk);
      return;
    case 'activity.talk':
      jump(desk);
      return;
    case 'activity.close':
      view.update((seen) => ({ ...seen, activity: released(seen.activity) }));
      return;
    default: {
      const lines = linesOf(desk);
      const { activity, size } = view.getState();
      const at = chosenLine(lines, activity.selected);
      const place = movedEntry(command, { at, count: lines.length, page: Math.max(1, size.rows - 8) });
      choose(desk, lines[place]?.node.id ?? null);
    }
  }
};

/** The lines as they are shown now. */
function linesOf({ store, view }: Desk): readonly ActivityLine[] {
  const { activity, scroll } = view.getState();
  return activityLines(shownTurn(store.getState(), scroll).tree.nodes, activity.folded);
}

function chosen(desk: Desk): ActivityLine | null {
  const lines = linesOf(desk);
  return lines[chosenLine(lines, desk.view.getState().activity.selected)] ?? null;
}

function choose({ view }: Desk, selected: string | null): void {
  view.update((seen) => ({ ...seen, activity: { ...seen.activity, selected } }));
}

function fold(desk: Desk): void {
  const line = chosen(desk);
  if (line === null) return;
  if (line.node.children.length === 0) {
    open(desk);
    return;
  }
  const { id } = line.node;
  desk.view.update((seen) => {
    const folded = new Set(seen.activity.folded);
    if (!folded.delete(id)) folded.add(id);
    return { ...seen, activity: { ...seen.activity, folded, selected: id } };
  });
}

/** The work in full, where the talk has a block of it. */
function open(desk: Desk): void {
  const block = blockOf(desk);
  if (block === null) desk.say('Nothing more is known of it.');
  else openDetail(desk, { kind: 'block', id: block.id });
}

/** Shows the block in the talk; one that is folded away is shown in the card of its task. */
function jump(desk: Desk): void {
  const { store, talk, view } = desk;
  const block = blockOf(desk);
  if (block === null) {
    desk.say('It is not in the talk.');
    return;
  }
  const state = store.getState();
  view.update((seen) => {
    const writing = { ...seen, activity: released(seen.activity) };
    const area = talkArea({ state, view: writing });
    const target = { block: visible(desk, block, area).id, row: null };
    return { ...writing, scroll: talk.revealed(state, seen.scroll, area, target) };
  });
}

/** The block itself, or the card of the task that hides it. */
function visible({ store, talk }: Desk, block: Block, area: TalkArea): Block {
  const state = store.getState();
  const { live, history } = state;
  let at = block;
  while (at.kind === 'tool' && at.agent !== undefined && talk.rows(state, area, at.id).length === 0) {
    const { agent } = at;
    const isCard = (other: Block): boolean => other.kind === 'tool' && other.runs === agent;
    const card = live?.blocks.findLast(isCard) ?? history.findLast(isCard);
    if (card === undefined) return at;
    at = card;
  }
  return at;
}

/** The block of the chosen line. Where the activity takes the screen, the talk may not know its newest blocks yet. */
function blockOf(desk: Desk): Block | null {
  const { store, talk, view } = desk;
  const line = chosen(desk);
  if (line === null) return null;
  const state = store.getState();
  talk.window(state, view.getState().scroll, talkArea({ state, view: view.getState() }));
  return talk.block(line.node.id);
}

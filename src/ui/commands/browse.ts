/** Going through the talk block by block: what the keys of it do. The draft stays where it is. */
import type { Block } from '../../transcript/blocks.ts';
import type { Desk, Handler } from '../desk.ts';
import { type CommandId, keyName } from '../keys/bindings.ts';
import { codePieces, conversationText, rawText } from '../reading/block-text.ts';
import { numberOf, placeOf } from '../reading/finder.ts';
import { foldOf, withFold } from '../reading/folds.ts';
import type { Browse } from '../reading/reading.ts';
import { nextFold } from '../rows/block-rows.ts';
import { talkArea } from '../screens/chat.ts';
import type { RevealTarget } from '../talk.ts';
import { copyText } from './copy.ts';
import { openDetail } from './detail.ts';
import { visitPlace } from './search.ts';

/** Chooses the last block in the window; out of a search, the one that was found. */
export function startBrowse(desk: Desk): void {
  const [state, view] = [desk.store.getState(), desk.view.getState()];
  const { search } = view;
  const at = search?.at ?? null;
  const last = desk.talk.neighbour(state, view.scroll, talkArea({ state, view }), { from: null, by: -1 });
  const block = at?.block ?? last?.id;
  if (block === undefined) desk.say('Nothing to go through yet.');
  else {
    const browse = { block, from: null, back: search?.back ?? view.scroll, copied: 0, at };
    desk.view.update((seen) => ({ ...seen, search: null, browse }));
    if (at === null) reveal(desk, { block, row: null });
  }
}

/** A key that writes does nothing here: says which one goes back to writing. */
export function sayHowToWrite({ say }: Desk): void {
  say(`${keyName('browse.close')} goes back to writing; the draft is untouched.`);
}

export const runBrowse: Handler = (command, desk) => {
  const { browse } = desk.view.getState();
  if (browse === null) return;
  const block = desk.talk.block(browse.block);
  switch (command) {
    case 'browse.close':
      desk.view.update((seen) => ({ ...seen, browse: null, scroll: browse.back }));
      return;
    case 'browse.help':
      desk.view.update((seen) => ({ ...seen, help: 0 }));
      return;
    case 'browse.match-next':
      stepMatch(desk, browse, 1);
      return;
    case 'browse.match-previous':
      stepMatch(desk, browse, -1);
      return;
    case 'browse.fold':
      if (block !== null) fold(desk, block);
      return;
    case 'browse.open':
      if (block !== null) openDetail(desk, { kind: 'block', id: block.id });
      return;
    case 'browse.select':
      select(desk, browse);
      return;
    case 'browse.copy':
      if (block !== null) copyChosen(desk, browse, block);
      return;
    case 'browse.copy-code':
      if (block !== null) copyCode(desk, browse, rawText(block));
      return;
    default:
      move(desk, browse, command);
  }
};

const NOTHING_THERE: Partial<Record<CommandId, string>> = {
  'browse.mark-next': 'No mark further down.',
  'browse.mark-previous': 'No mark further up.',
};

/** Chooses another block. */
function move(desk: Desk, browse: Browse, command: CommandId): void {
  const block = destination(desk, browse, command);
  if (block === null) {
    const why = NOTHING_THERE[command];
    if (why !== undefined) desk.say(why);
    return;
  }
  choose(desk, block.id);
  reveal(desk, { block: block.id, row: null });
}

function destination(desk: Desk, { block }: Browse, command: CommandId): Block | null {
  const [state, view] = [desk.store.getState(), desk.view.getState()];
  // A block that was let go is far from here: then the last one in the window is the next.
  const from = desk.talk.block(block) === null ? null : block;
  const go = (by: 1 | -1, wanted?: (candidate: Block) => boolean): Block | null =>
    desk.talk.neighbour(state, view.scroll, talkArea({ state, view }), {
      from,
      by,
      ...(wanted === undefined ? {} : { wanted }),
    });
  const isMarked = ({ id }: Block): boolean => state.marks.some(({ at }) => at === id);
  switch (command) {
    case 'browse.up':
      return go(-1);
    case 'browse.down':
      return go(1);
    case 'browse.mark-next':
      return go(1, isMarked);
    case 'browse.mark-previous':
      return go(-1, isMarked);
    case 'browse.top':
      return desk.talk.edge(state, talkArea({ state, view }), 'first');
    case 'browse.bottom':
      return desk.talk.edge(state, talkArea({ state, view }), 'last');
    default:
      return null;
  }
}

function choose(desk: Desk, block: string): void {
  desk.view.update((seen) =>
    seen.browse === null || seen.browse.block === block
      ? seen
      : { ...seen, browse: { ...seen.browse, block, copied: 0 } },
  );
}

function reveal(desk: Desk, target: RevealTarget): void {
  const [state, view] = [desk.store.getState(), desk.view.getState()];
  const scroll = desk.talk.revealed(state, view.scroll, talkArea({ state, view }), target);
  desk.view.update((seen) => ({ ...seen, scroll }));
}

function fold(desk: Desk, block: Block): void {
  const [state, view] = [desk.store.getState(), desk.view.getState()];
  const { width } = talkArea({ state, view });
  const next = nextFold(block, { width, fold: foldOf(block, view.look.folds) });
  if (next === null) {
    desk.say('It is shown whole already.');
    reveal(desk, { block: block.id, row: null });
    return;
  }
  desk.view.update((seen) => ({
    ...seen,
    look: { ...seen.look, folds: withFold(seen.look.folds, block.id, next) },
  }));
  reveal(desk, { block: block.id, row: null });
}

function select(desk: Desk, { from, block }: Browse): void {
  desk.view.update((seen) =>
    seen.browse === null ? seen : { ...seen, browse: { ...seen.browse, from: from === null ? block : null } },
  );
  desk.say(
    from === null
      ? `Selection begun: move, then ${keyName('browse.copy')} copies it.`
      : 'The selection is dropped.',
  );
}

function copyChosen(desk: Desk, { from }: Browse, block: Block): void {
  if (from === null || desk.talk.block(from) === null) {
    copyText(desk, rawText(block));
    return;
  }
  const blocks = desk.talk.between(from, block.id);
  copyText(desk, conversationText(blocks), `${blocks.length} ${blocks.length === 1 ? 'block' : 'blocks'}`);
  desk.view.update((seen) =>
    seen.browse === null ? seen : { ...seen, browse: { ...seen.browse, from: null } },
  );
}

/** Again for the next piece of the same block. */
function copyCode(desk: Desk, { copied }: Browse, text: string): void {
  const pieces = codePieces(text);
  const piece = pieces[copied % Math.max(1, pieces.length)];
  if (piece === undefined) {
    desk.say(`No piece of code in it: ${keyName('browse.copy')} copies all of it.`);
    return;
  }
  desk.view.update((seen) =>
    seen.browse === null ? seen : { ...seen, browse: { ...seen.browse, copied: copied + 1 } },
  );
  const which = pieces.length === 1 ? '' : `piece ${(copied % pieces.length) + 1} of ${pieces.length}`;
  copyText(desk, piece, which);
}

function stepMatch(desk: Desk, browse: Browse, by: 1 | -1): void {
  const { sought } = desk.view.getState();
  const found = desk.talk.found(desk.store.getState(), sought);
  if (found.total === 0) {
    desk.say(sought === '' ? `Nothing was searched for: ${keyName('transcript.search')}.` : 'Not found.');
    return;
  }
  const number = browse.at === null ? (by === 1 ? 1 : found.total) : numberOf(found, browse.at) + by;
  const at = placeOf(found, number);
  if (at === null) return;
  desk.view.update((seen) => ({ ...seen, browse: { ...browse, block: at.block, at, copied: 0 } }));
  visitPlace(desk, at, sought);
  desk.say(`${numberOf(found, at)} of ${found.total}`);
}

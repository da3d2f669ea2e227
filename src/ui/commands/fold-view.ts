/** Folding and unfolding everything of a kind that is in view. The row at the top stays where it is. */
import type { Block } from '../../transcript/blocks.ts';
import type { Desk } from '../desk.ts';
import { keyName } from '../keys/bindings.ts';
import { type Fold, type Folds, foldOf } from '../reading/folds.ts';
import { nextFold } from '../rows/block-rows.ts';
import { talkArea } from '../screens/chat.ts';

/** Unfolds the tool calls in view, or folds them when all are unfolded. */
export function foldTools(desk: Desk): void {
  const { folds } = desk.view.getState().look;
  const { width } = areaOf(desk);
  const tools = visible(desk).filter(
    (block) => block.kind === 'tool' && nextFold(block, { width, fold: 'folded' }) !== null,
  );
  if (tools.length === 0) desk.say('No tool call in view has details.');
  else {
    const to: Fold = tools.some((block) => foldOf(block, folds) === 'folded') ? 'open' : 'folded';
    setFolds(desk, { ...folds, chosen: withAll(folds, tools, to) });
  }
}

/** The same for thinking, and for what is thought from now on. */
export function foldThinking(desk: Desk): void {
  const { folds } = desk.view.getState().look;
  const thoughts = visible(desk).filter(({ kind }) => kind === 'thinking');
  const isFolded =
    thoughts.length === 0
      ? folds.thinking === 'folded'
      : thoughts.some((block) => foldOf(block, folds) === 'folded');
  const chosen = new Map(folds.chosen);
  for (const { id } of thoughts) chosen.delete(id);
  setFolds(desk, { thinking: isFolded ? 'open' : 'folded', chosen });
  if (thoughts.length === 0)
    desk.say(
      `Thinking is ${isFolded ? 'unfolded' : 'folded'} from now on: ${keyName('transcript.fold-thinking')}.`,
    );
}

function areaOf(desk: Desk) {
  return talkArea({ state: desk.store.getState(), view: desk.view.getState() });
}

/** Blocks that have a row in the window, each once. */
function visible(desk: Desk): readonly Block[] {
  const { scroll } = desk.view.getState();
  const { places } = desk.talk.window(desk.store.getState(), scroll, areaOf(desk));
  return [...new Set(places.filter(({ row }) => row >= 0).map(({ block }) => block))];
}

function withAll({ chosen }: Folds, blocks: readonly Block[], fold: Fold): ReadonlyMap<string, Fold> {
  const next = new Map(chosen);
  for (const { id } of blocks) next.set(id, fold);
  return next;
}

function setFolds(desk: Desk, folds: Folds): void {
  desk.view.update((seen) => ({ ...seen, look: { ...seen.look, folds } }));
}

import { describe, expect, it } from 'vitest';
import {
  disarm,
  LADDER_START,
  type LadderAction,
  type LadderKey,
  type LadderTurn,
  ladderNotice,
  observeTurn,
  pressLadder,
} from '../../../src/ui/keys/interrupt-ladder.ts';

const NONE: LadderTurn = { phase: 'none' };
const RUNNING: LadderTurn = { phase: 'running', id: 't1' };
const STOPPING: LadderTurn = { phase: 'stopping', id: 't1' };
const RUNNING_NEXT: LadderTurn = { phase: 'running', id: 't2' };

type Press = readonly [
  atMs: number,
  key: LadderKey,
  draft: 'empty' | 'filled',
  turn: LadderTurn,
  batch?: number,
];

function actions(presses: readonly Press[]): readonly LadderAction[] {
  let state = LADDER_START;
  return presses.map(([nowMs, key, draft, turn, batch = nowMs]) => {
    const step = pressLadder(state, { key, draft, turn, nowMs, batch });
    state = step.state;
    return step.action;
  });
}

describe('interrupt ladder (FC-09)', () => {
  it.each<readonly [string, readonly Press[], readonly LadderAction[]]>([
    [
      'a draft is cleared, the second press leaves',
      [
        [0, 'ctrl-c', 'filled', NONE],
        [1500, 'ctrl-c', 'empty', NONE],
      ],
      ['clear-draft', 'leave'],
    ],
    [
      'a late second press is a first one',
      [
        [0, 'ctrl-c', 'empty', NONE],
        [2001, 'ctrl-c', 'empty', NONE],
        [4001, 'ctrl-c', 'empty', NONE],
      ],
      ['hint', 'hint', 'leave'],
    ],
    [
      'two bytes in one read are one press',
      [
        [0, 'ctrl-c', 'filled', NONE, 1],
        [0, 'ctrl-c', 'empty', NONE, 1],
        [300, 'ctrl-c', 'empty', NONE, 2],
      ],
      ['clear-draft', 'none', 'leave'],
    ],
    [
      'two bytes faster than a finger are one press',
      [
        [0, 'ctrl-c', 'empty', NONE, 1],
        [5, 'ctrl-c', 'empty', NONE, 2],
      ],
      ['hint', 'none'],
    ],
    ['Ctrl+D in a draft deletes', [[0, 'ctrl-d', 'filled', NONE]], ['delete-forward']],
    [
      'Ctrl+D twice in one read deletes twice',
      [
        [0, 'ctrl-d', 'filled', NONE, 1],
        [0, 'ctrl-d', 'filled', NONE, 1],
      ],
      ['delete-forward', 'delete-forward'],
    ],
    ['Ctrl+D without a draft leaves', [[0, 'ctrl-d', 'empty', NONE]], ['leave']],
    [
      'Ctrl+C then Ctrl+D leaves',
      [
        [0, 'ctrl-c', 'filled', NONE],
        [900, 'ctrl-d', 'empty', NONE],
      ],
      ['clear-draft', 'leave'],
    ],
    [
      'a turn is asked to stop once, whatever is pressed and however late the store knows',
      [
        [0, 'escape', 'filled', RUNNING],
        [100, 'ctrl-c', 'filled', RUNNING],
        [200, 'escape', 'filled', STOPPING],
        [4000, 'ctrl-c', 'empty', STOPPING],
      ],
      ['stop-turn', 'none', 'none', 'none'],
    ],
    [
      'an unconfirmed stop lets Ctrl+C leave, not Escape',
      [
        [0, 'ctrl-c', 'empty', RUNNING],
        [5000, 'escape', 'empty', STOPPING],
        [5100, 'ctrl-c', 'filled', STOPPING],
      ],
      ['stop-turn', 'none', 'leave'],
    ],
    [
      'the next turn can be stopped too',
      [
        [0, 'escape', 'empty', RUNNING],
        [900, 'escape', 'empty', RUNNING_NEXT],
      ],
      ['stop-turn', 'stop-turn'],
    ],
    [
      'Ctrl+C after a stopped turn is a first press',
      [
        [0, 'ctrl-c', 'empty', RUNNING],
        [500, 'ctrl-c', 'empty', NONE],
      ],
      ['stop-turn', 'hint'],
    ],
    [
      'Ctrl+D during a turn asks first',
      [
        [0, 'ctrl-d', 'empty', RUNNING],
        [500, 'ctrl-d', 'empty', RUNNING],
      ],
      ['hint', 'leave'],
    ],
    ['Escape without a turn does nothing', [[0, 'escape', 'filled', NONE]], ['none']],
  ])('%s', (_name, presses, expected) => {
    expect(actions(presses)).toEqual(expected);
  });

  it('forgets a first press when another key comes', () => {
    const first = pressLadder(LADDER_START, {
      key: 'ctrl-c',
      draft: 'empty',
      turn: NONE,
      nowMs: 0,
      batch: 1,
    });
    const state = disarm(first.state);
    expect(
      pressLadder(state, { key: 'ctrl-c', draft: 'empty', turn: NONE, nowMs: 500, batch: 2 }).action,
    ).toBe('hint');
  });

  it('says what to show and until when', () => {
    const hinted = pressLadder(LADDER_START, {
      key: 'ctrl-c',
      draft: 'empty',
      turn: NONE,
      nowMs: 0,
      batch: 1,
    }).state;
    expect(ladderNotice(hinted, 500)).toEqual({ notice: 'press-again', changesInMs: 1500 });
    expect(ladderNotice(hinted, 2001)).toEqual({ notice: null, changesInMs: null });
    const stopping = observeTurn(LADDER_START, STOPPING, 100);
    expect(ladderNotice(stopping, 100)).toEqual({ notice: 'stopping', changesInMs: 5000 });
    expect(ladderNotice(observeTurn(stopping, STOPPING, 5000), 5100)).toEqual({
      notice: 'stop-unconfirmed',
      changesInMs: null,
    });
    expect(ladderNotice(observeTurn(stopping, NONE, 5200), 5200)).toEqual({
      notice: null,
      changesInMs: null,
    });
  });
});

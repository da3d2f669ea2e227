import { describe, expect, it } from 'vitest';
import { INITIAL, type State } from '../../src/store/state.ts';
import {
  activityArrived,
  connectionMade,
  controlChanged,
  deltaArrived,
  envelopesArrived,
  envelopesRead,
  gapFound,
  historyRead,
  linkLost,
  sessionOpened,
  turnEnded,
} from '../../src/store/updates.ts';
import type { Block } from '../../src/transcript/blocks.ts';
import type { Envelope } from '../../src/transcript/envelope.ts';
import { beginTurn, type LiveContext } from '../../src/transcript/live-turn.ts';

function said(id: string): Block {
  return { kind: 'user', id, revision: 0, text: id };
}

let ids = 0;
function newId(): string {
  ids += 1;
  return `new${ids}`;
}
const context: LiveContext = { newId, now: 5 };

function watched(...blocks: string[]): State {
  const session = { id: 's', title: '', control: 'mine' } as const;
  return { ...INITIAL, session, history: blocks.map(said) };
}

function following(state: State, ...steps: ((state: State) => State)[]): State {
  return steps.reduce((present, step) => step(present), state);
}

const usage = {
  activity_id: 'a1',
  kind: 'context',
  current_tokens: 1,
  max_tokens: 2,
} as unknown as Parameters<typeof activityArrived>[0];

describe('marks of what is missing', () => {
  it('reports that were left out are counted at the block where they were', () => {
    const live = beginTurn('t', context);
    const state = following(
      { ...watched('u'), live },
      deltaArrived('text', null, context),
      activityArrived(usage, 2, context),
      activityArrived(usage, 3, context),
    );
    expect(state.marks).toMatchObject([{ kind: 'dropped', at: state.live?.blocks[0]?.id, count: 5 }]);
  });

  it('counters that are left out where envelopes tell the turn leave no mark', () => {
    const live = beginTurn('t', context, 'envelopes');
    expect(activityArrived(usage, 2, context)({ ...watched('u'), live }).marks).toEqual([]);
  });

  it('a mark stays at its text when the end of the turn puts other blocks there', () => {
    const live = beginTurn('t', context);
    const shown = following(
      { ...watched('u'), live },
      deltaArrived('half', null, context),
      activityArrived(usage, 1, context),
      turnEnded({ assistant_text: 'other', status: 'completed', error: null }, context),
    );
    expect(shown.history.map(({ id }) => id)).toContain(shown.marks[0]?.at);
  });

  it('the link that was lost is marked where the talk stood, once for each time', () => {
    const state = following(watched('a', 'b'), linkLost(1), linkLost(9));
    expect(state.marks).toEqual([{ kind: 'relink', at: 'b', count: 2, time: 9 }]);
    expect(linkLost(1)(watched()).marks).toEqual([]);
  });

  it('history that could not be read is marked at its beginning', () => {
    expect(gapFound(watched('a', 'b')).marks).toMatchObject([{ kind: 'missing', at: 'a' }]);
    expect(historyRead([said('x')], 'gap')(watched('a')).marks).toMatchObject([{ kind: 'missing', at: 'x' }]);
  });

  it('a history that was read anew takes the marks along, and another session has none', () => {
    const state = following(watched('a', 'b'), linkLost(1), historyRead([said('x'), said('y')], 'complete'));
    expect(state.marks).toMatchObject([{ kind: 'relink', at: 'y' }]);
    expect(sessionOpened(null)(state).marks).toEqual([]);
  });
});

describe('marks of control', () => {
  it('another window takes over, and this one gets it back', () => {
    const state = following(
      watched('a'),
      controlChanged('other'),
      controlChanged('none'),
      (present) => ({ ...present, history: [...present.history, said('b')] }),
      controlChanged('mine'),
    );
    expect(state.marks).toMatchObject([
      { kind: 'control', at: 'a', holder: 'other' },
      { kind: 'control', at: 'b', holder: 'mine' },
    ]);
  });

  it('taking what is free, and what was never ours, is no change of hands', () => {
    expect(following(watched('a'), controlChanged('none'), controlChanged('mine')).marks).toEqual([]);
    expect(controlChanged('other')(watched()).marks).toEqual([]);
  });

  it('a stranger who had control in between is found in the envelopes; our own claims and old ones are not', () => {
    const claim = (tokenId: string): Envelope => ({
      id: `c${tokenId}`,
      time: 7,
      role: 'agent',
      ev: { t: 'session-control-changed', clientType: 'cli', tokenId },
    });
    const ours = connectionMade('ours')(watched('a'));
    const state = envelopesArrived([claim('ours'), claim('theirs')])(ours);
    expect(state.marks).toEqual([{ kind: 'control', at: 'a', count: 1, time: 7, holder: 'other' }]);
    expect(envelopesRead([claim('theirs')], 'complete', 'none')(ours).marks).toEqual([]);
  });
});

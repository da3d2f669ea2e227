/** The talk of a session of which a part is held: the reader's place, the ends, and what a frame costs. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { rowText } from '../../src/render/row.ts';
import { INITIAL, type State } from '../../src/store/state.ts';
import type { Block } from '../../src/transcript/blocks.ts';
import { applyDelta, beginTurn } from '../../src/transcript/live-turn.ts';
import { edgeRow } from '../../src/ui/regions/edge-region.ts';
import { ruleRow } from '../../src/ui/regions/talk-region.ts';
import { Talk } from '../../src/ui/talk.ts';
import type { Scroll } from '../../src/ui/view.ts';

const AREA = { width: 40, height: 10 };
const TAIL: Scroll = { kind: 'tail' };
const IDS = { newId: () => 'live', now: 0 };

/** Questions from one number to another, each with its answer. */
function turns(from: number, to: number): Block[] {
  const blocks: Block[] = [];
  for (let turn = from; turn < to; turn += 1) {
    blocks.push({ kind: 'user', id: `u${turn}`, revision: 0, text: `ask ${turn}` });
    blocks.push({ kind: 'answer', id: `a${turn}`, revision: 0, turn: 't', text: `say ${turn}`, open: false });
  }
  return blocks;
}

function held(history: readonly Block[], edges: Partial<State['edges']> = {}): State {
  const session = { id: 's', title: 'Long', control: 'mine' } as const;
  return { ...INITIAL, session, history, edges: { ...INITIAL.edges, ...edges } };
}

function rowsAt(talk: Talk, state: State, scroll: Scroll): string[] {
  return talk.window(state, scroll, AREA).rows.map(rowText);
}

describe('pages that come and go', () => {
  test('never move what the reader sees', () => {
    fc.assert(
      fc.property(fc.nat(190), fc.nat(20), (up, earlier) => {
        const talk = new Talk();
        const before = held(turns(100, 150), { above: 'more' });
        const scroll = talk.scrolled(before, TAIL, AREA, -up);
        const seen = rowsAt(talk, before, scroll);
        const isFarFromEnd = !talk.reach(before, scroll, AREA).below;
        const after = held(turns(100 - earlier, 150), { above: earlier > 10 ? 'beginning' : 'more' });
        expect(rowsAt(talk, after, scroll)).toEqual(seen);
        if (!isFarFromEnd) return;
        const cut = held(turns(100 - earlier, 147), { above: 'more', below: 'more' });
        expect(rowsAt(talk, cut, scroll)).toEqual(seen);
      }),
    );
  });

  test('are wanted before the reader comes to an end', () => {
    const talk = new Talk();
    const state = held(turns(0, 100), { above: 'more', below: 'more' });
    const middle = { kind: 'at', block: 'u50', row: 0, seen: null } as const;
    expect(talk.reach(state, middle, AREA)).toEqual({ above: false, below: false });
    expect(talk.reach(state, { ...middle, block: 'u3' }, AREA)).toEqual({ above: true, below: false });
    expect(talk.reach(state, { ...middle, block: 'u97' }, AREA)).toEqual({ above: false, below: true });
    const end = held(turns(0, 100), { above: 'more' });
    expect(talk.reach(end, TAIL, AREA).above).toBe(false);
    expect(talk.reach(held(turns(0, 2), { above: 'more' }), TAIL, AREA).above).toBe(true);
    expect(talk.reach(held([], { above: 'more' }), TAIL, AREA).above).toBe(true);
  });
});

describe('an end that is not the present', () => {
  const live = applyDelta(beginTurn('t', IDS), 'being written', IDS);
  const state = { ...held(turns(0, 50), { above: 'more', below: 'more' }), live };
  const middle: Scroll = { kind: 'at', block: 'u20', row: 0, seen: null };

  test('is not followed, and nothing of now stands behind it', () => {
    const talk = new Talk();
    const down = talk.scrolled(state, middle, AREA, 1_000);
    expect(down.kind).toBe('at');
    expect(rowsAt(talk, state, down).at(-1)).toContain('say 49');
    expect(talk.turn(state, down, AREA, 'after').kind).toBe('at');
    const more = { ...held(turns(0, 60), { above: 'more', below: 'more' }), live };
    expect(rowsAt(talk, more, down)).toEqual(rowsAt(talk, state, down));
    const present = { ...held(turns(0, 50), { above: 'more' }), live };
    expect(rowsAt(talk, present, TAIL).at(-1)).toContain('being written');
  });

  test('is told below the talk', () => {
    const window = new Talk().window(state, middle, AREA);
    expect(rowText(ruleRow(window, 60))).toContain('newer messages ↓ Ctrl+End');
  });
});

test('the row above the first one tells what lies before it', () => {
  const talk = new Talk();
  const top: Scroll = { kind: 'at', block: 'u0', row: 0, seen: null };
  const told = (above: State['edges']['above'], scroll: Scroll = top, more: Partial<State> = {}) => {
    const state = { ...held(turns(0, 50), { above }), ...more };
    return rowText(edgeRow(state, talk.window(state, scroll, AREA), 60)).trim();
  };
  expect(told('more')).toBe('↑ earlier messages');
  expect(told('reading')).toBe('↑ earlier messages · loading…');
  expect(told('failed')).toContain('could not be read · PgUp tries again');
  expect(told('beginning')).toBe('The session begins here');
  expect(told('none')).toBe('');
  expect(told('none', top, { historyState: 'gap' })).toBe('Some older messages are missing');
  expect(told('reading', TAIL)).toBe('');
});

test('a delta costs what it changed: the settled blocks are not looked at', () => {
  let looks = 0;
  const history = new Proxy(turns(0, 500), {
    get: (target, property, receiver) => {
      if (typeof property === 'string' && /^\d+$/.test(property)) looks += 1;
      return Reflect.get(target, property, receiver);
    },
  });
  const talk = new Talk();
  let live = applyDelta(beginTurn('t', IDS), 'first ', IDS);
  talk.window({ ...held(history), live }, TAIL, AREA);
  expect(looks).toBeGreaterThanOrEqual(1_000);
  looks = 0;
  for (let delta = 0; delta < 20; delta += 1) {
    live = applyDelta(live, `word${delta} `, IDS);
    const { rows } = talk.window({ ...held(history), live }, TAIL, AREA);
    expect(rows.map(rowText).join('\n')).toContain(`word${delta}`);
  }
  expect(looks).toBe(0);
});

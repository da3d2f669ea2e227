import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { envelopesOfReplay, REPLAY_START, type ReplayItem } from '../../src/transcript/from-wire.ts';
import {
  applyActivity,
  applyDelta,
  beginTurn,
  type LiveContext,
  type LiveTurn,
  settle,
} from '../../src/transcript/live-turn.ts';
import type { Activity } from '../../src/wire/activity.ts';

function contextFrom(now: number): LiveContext {
  let serial = 0;
  return {
    now,
    newId: () => {
      serial += 1;
      return `n${now}x${serial}`;
    },
  };
}

function tool(status: 'running' | 'completed' | 'failed', extra: { notice?: string } = {}): Activity {
  return {
    kind: 'tool',
    activity_id: 'activity-1',
    tool_id: 'tool-1',
    tool_name: 'edit',
    server_id: null,
    transport: 'local',
    status,
    timed_out: null,
    details_omitted: true,
    ...extra,
  };
}

function running(): LiveTurn {
  return beginTurn('turn-1', contextFrom(1));
}

const COMPLETED = { status: 'completed', reason: '' } as const;

describe('a live turn', () => {
  it('puts tools between the texts that stood around them', () => {
    let turn = applyDelta(running(), 'Before', contextFrom(2));
    turn = applyActivity(turn, tool('running'), contextFrom(3));
    turn = applyActivity(turn, tool('completed'), contextFrom(10));
    turn = applyDelta(turn, '\n\nafter', contextFrom(11));
    const blocks = settle(turn, { ...COMPLETED, assistant_text: 'Before\n\nafter' }, contextFrom(12));
    expect(
      blocks.map((block) => [
        block.kind,
        'text' in block ? block.text : '',
        block.kind === 'tool' ? block.durationMs : null,
      ]),
    ).toEqual([
      ['answer', 'Before', null],
      ['tool', '', 7],
      ['answer', '\n\nafter', null],
      ['turn-end', '', null],
    ]);
  });

  it('shows one line for a tool that is told to run twice', () => {
    let turn = applyActivity(running(), tool('running'), contextFrom(2));
    turn = applyActivity(turn, tool('running'), contextFrom(3));
    expect(turn.blocks.length).toBe(1);
  });

  it('shows a refusal with its reason', () => {
    let turn = applyActivity(running(), tool('running'), contextFrom(2));
    turn = applyActivity(turn, tool('failed', { notice: 'not allowed here' }), contextFrom(3));
    expect(turn.blocks).toMatchObject([{ kind: 'tool', status: 'denied', notice: 'not allowed here' }]);
  });

  it('lets the terminal text win when the shown text does not fit it', () => {
    const turn = applyDelta(running(), 'wrong', contextFrom(2));
    const blocks = settle(turn, { ...COMPLETED, assistant_text: 'right' }, contextFrom(3));
    expect(blocks.map((block) => ('text' in block ? block.text : block.kind))).toEqual(['right', 'turn-end']);
  });

  it('never shows more or less text than the terminal says', () => {
    fc.assert(
      fc.property(fc.array(fc.string()), fc.string(), (deltas, tail) => {
        const turn = deltas.reduce((sum, delta) => applyDelta(sum, delta, contextFrom(2)), running());
        const whole = `${deltas.join('')}${tail}`;
        const blocks = settle(turn, { ...COMPLETED, assistant_text: whole }, contextFrom(3));
        expect(blocks.map((block) => (block.kind === 'answer' ? block.text : '')).join('')).toBe(whole);
      }),
    );
  });

  it('leaves no tool running when it ends', () => {
    const turn = applyActivity(running(), tool('running'), contextFrom(2));
    const blocks = settle(turn, { status: 'cancelled', reason: '', assistant_text: '' }, contextFrom(3));
    expect(blocks).toMatchObject([
      { kind: 'tool', status: 'cancelled' },
      { kind: 'turn-end', status: 'cancelled' },
    ]);
  });
});

describe('replay as envelopes', () => {
  const items: readonly ReplayItem[] = [
    { kind: 'message', cursor: 'r1_1_aa', role: 'user', text: 'Question' },
    { kind: 'message', cursor: 'r1_2_bb', role: 'assistant', text: 'One.' },
    { kind: 'message', cursor: 'r1_3_cc', role: 'assistant', text: 'Two.' },
    { kind: 'terminal', cursor: 'r1_4_dd', status: 'completed' },
  ];

  it('keeps paragraphs apart and gives every item a stable ID', () => {
    const first = envelopesOfReplay(items, REPLAY_START);
    expect(first).toEqual(envelopesOfReplay(items, REPLAY_START));
    expect(first.envelopes.map(({ ev }) => ('text' in ev ? ev.text : ev.t))).toEqual([
      'Question',
      'One.',
      '\n\nTwo.',
      'turn-end',
    ]);
  });

  it('goes on from any item as if it had read on', () => {
    const whole = envelopesOfReplay(items, REPLAY_START);
    for (let cut = 0; cut <= items.length; cut += 1) {
      const head = envelopesOfReplay(items.slice(0, cut), REPLAY_START);
      const tail = envelopesOfReplay(items.slice(cut), head.position);
      expect([...head.envelopes, ...tail.envelopes]).toEqual(whole.envelopes);
    }
  });
});

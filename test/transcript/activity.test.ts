/** The tree of what an agent does, made from the blocks of a turn, however the events came. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type ActivityNode,
  type ActivityTree,
  activityTree,
  COMPACTION_ID,
  countTools,
  hasActivity,
  lastTurn,
  turnAround,
} from '../../src/transcript/activity.ts';
import { type Block, fold } from '../../src/transcript/blocks.ts';
import type { Envelope } from '../../src/transcript/envelope.ts';
import { applyActivity, beginTurn, type LiveTurn, settle } from '../../src/transcript/live-turn.ts';
import type { Activity } from '../../src/wire/activity.ts';

let serial = 0;
function agent(ev: Envelope['ev'], time: number, subagent?: string): Envelope {
  serial += 1;
  const by = subagent === undefined ? {} : { subagent };
  return { id: `a${serial}`, time, role: 'agent', turn: 'turn1', ...by, ev };
}
const start = (call: string, time: number, subagent?: string, name = 'bash', title = call) =>
  agent({ t: 'tool-call-start', call, name, title, description: '', args: {} }, time, subagent);
const end = (call: string, time: number, subagent?: string) =>
  agent({ t: 'tool-call-end', call, status: 'ok' }, time, subagent);

function treeOf(blocks: readonly Block[], isRunning = false): ActivityTree {
  return activityTree({ blocks, startedAt: null, isRunning, compaction: null, dropped: 0 });
}

function told(envelopes: readonly Envelope[]): ActivityTree {
  return treeOf(fold([], envelopes), true);
}

/** `name title state (children)` */
function shape(nodes: readonly ActivityNode[]): string[] {
  return nodes.map(({ children, name, state, title }) => {
    const below = children.length === 0 ? '' : ` (${shape(children).join(', ')})`;
    return `${name} ${title} ${state}${below}`;
  });
}

function flat(nodes: readonly ActivityNode[]): ActivityNode[] {
  return nodes.flatMap((node) => [node, ...flat(node.children)]);
}

describe('subagents', () => {
  it('stand in the call that has started them, with their own calls below', () => {
    const tree = told([
      start('t1', 1, undefined, 'task', 'Look'),
      start('t2', 2, undefined, 'task', 'Check'),
      agent({ t: 'subagent-start', agentId: 's1', title: 'Look' }, 3),
      agent({ t: 'subagent-start', agentId: 's2', title: 'Check' }, 4),
      start('c1', 5, 's2'),
      start('c2', 6, 's1'),
      end('c1', 8, 's2'),
      start('c3', 9, 's2'),
      start('c4', 10),
    ]);
    expect(shape(tree.nodes)).toEqual([
      'task Look running (bash c2 running)',
      'task Check running (bash c1 ok, bash c3 running)',
      'bash c4 running',
    ]);
    expect(tree.nodes.map(({ tools }) => tools)).toEqual([1, 2, 0]);
    expect(countTools(tree.nodes)).toBe(6);
  });

  it('of the same title are taken in the order in which their calls came', () => {
    const tree = told([
      start('t1', 1, undefined, 'task', 'Look'),
      start('t2', 2, undefined, 'task', 'Look'),
      agent({ t: 'subagent-start', agentId: 's1', title: 'Look' }, 3),
      start('c1', 5, 's1'),
    ]);
    expect(shape(tree.nodes)).toEqual(['task Look running (bash c1 running)', 'task Look running']);
  });

  it('that no call has started have a card of their own, and end without saying how', () => {
    const tree = told([
      agent({ t: 'subagent-start', agentId: 's1', title: 'Helper' }, 3),
      start('c1', 5, 's1'),
      end('c1', 6, 's1'),
      agent({ t: 'subagent-stop', agentId: 's1' }, 10),
    ]);
    expect(shape(tree.nodes)).toEqual(['task Helper unknown (bash c1 ok)']);
    expect(tree.nodes[0]).toMatchObject({ startedAt: 3, durationMs: 7 });
  });

  it('whose beginning was not told are there although nobody says since when', () => {
    const tree = told([start('c1', 5, 's9')]);
    expect(shape(tree.nodes)).toEqual(['task  running (bash c1 running)']);
    expect(tree.nodes[0]?.startedAt).toBeNull();
  });

  it('end with the call that runs them', () => {
    const tree = told([
      start('t1', 1, undefined, 'task', 'Look'),
      agent({ t: 'subagent-start', agentId: 's1', title: 'Look' }, 3),
      agent({ t: 'subagent-stop', agentId: 's1' }, 8),
      agent({ t: 'tool-call-end', call: 't1', status: 'error', durationMs: 7 }, 9),
    ]);
    expect(shape(tree.nodes)).toEqual(['task Look failed']);
  });
});

describe('the end of a turn', () => {
  const open = [start('c1', 1)];

  it('stops what ran when it was stopped', () => {
    const tree = told([...open, agent({ t: 'turn-end', status: 'cancelled' }, 5)]);
    expect(shape(tree.nodes)).toEqual(['bash c1 stopped']);
  });

  it('leaves unknown how a call ended whose end was never told', () => {
    const tree = told([...open, agent({ t: 'turn-end', status: 'completed' }, 5)]);
    expect(shape(tree.nodes)).toEqual(['bash c1 unknown']);
    expect(tree.nodes[0]?.durationMs).toBeNull();
  });
});

describe('thinking and compaction', () => {
  it('are told by their first line and their place', () => {
    const tree = told([
      agent({ t: 'text', text: '\nFirst\nsecond', thinking: true }, 4),
      agent({ t: 'service', kind: 'compaction', text: 'short', summary: 'long' }, 6),
      agent({ t: 'service', kind: 'notice', text: 'no work' }, 7),
      agent({ t: 'text', text: 'an answer' }, 8),
    ]);
    expect(shape(tree.nodes)).toEqual(['thought First ok', 'compact earlier messages ok']);
  });

  it('a compaction that runs or failed stands where it began', () => {
    const blocks = fold([], [start('c1', 1), start('c2', 9)]);
    const compaction = { startedAt: 5, endedAt: null, status: 'running' } as const;
    const tree = activityTree({ blocks, startedAt: 0, isRunning: true, compaction, dropped: 0 });
    expect(shape(tree.nodes)).toEqual([
      'bash c1 running',
      'compact earlier messages running',
      'bash c2 running',
    ]);
    expect(tree.nodes[1]?.id).toBe(COMPACTION_ID);
  });

  it('a turn that only thinks and answers has done nothing', () => {
    const quiet = fold([], [agent({ t: 'text', text: 'Hm', thinking: true }, 4)]);
    expect(hasActivity({ blocks: quiet, compaction: null })).toBe(false);
    expect(hasActivity({ blocks: fold(quiet, [start('c1', 5)]), compaction: null })).toBe(true);
  });
});

describe('any order of events', () => {
  const ids = fc.constantFrom('s1', 's2', 's3');
  const by = fc.option(ids, { nil: undefined });
  const calls = fc.constantFrom('c1', 'c2', 'c3', 's1');
  const time = fc.nat(50);
  const envelopes = fc.oneof(
    fc.tuple(calls, time, by, fc.constantFrom('bash', 'task')).map((made) => start(...made)),
    fc.tuple(calls, time, by).map((made) => end(...made)),
    fc
      .tuple(ids, time, by, calls)
      .map(([agentId, at, parent, title]) => agent({ t: 'subagent-start', agentId, title }, at, parent)),
    fc.tuple(ids, time).map(([agentId, at]) => agent({ t: 'subagent-stop', agentId }, at)),
    time.map((at) => agent({ t: 'text', text: 'Hm', thinking: true }, at)),
    time.map((at) => agent({ t: 'service', kind: 'compaction', text: 'x' }, at)),
    time.map((at) => agent({ t: 'turn-end', status: 'completed' }, at)),
  );

  it('gives a tree in which everything stands once and nothing ends before it begins', () => {
    fc.assert(
      fc.property(fc.array(envelopes, { maxLength: 30 }), (events) => {
        serial = 0;
        const blocks = fold(
          [],
          events.map((event, index) => ({ ...event, id: `e${index}` })),
        );
        const tree = treeOf(blocks);
        const nodes = flat(tree.nodes);
        const work = blocks.filter(
          (block) =>
            block.kind === 'tool' ||
            block.kind === 'thinking' ||
            (block.kind === 'service' && block.compaction === true),
        );
        expect(nodes.map(({ id }) => id).toSorted()).toEqual(work.map(({ id }) => id).toSorted());
        expect(new Set(nodes.map(({ id }) => id)).size).toBe(nodes.length);
        for (const { durationMs, tools, children } of nodes) {
          expect(durationMs ?? 0).toBeGreaterThanOrEqual(0);
          expect(tools).toBe(countTools(children));
        }
        const ends = nodes.map(({ durationMs, startedAt }) => (startedAt ?? 0) + (durationMs ?? 0));
        if (tree.endedAt !== null && tree.startedAt !== null)
          expect(tree.endedAt).toBeGreaterThanOrEqual(Math.min(tree.startedAt, ...ends));
      }),
    );
  });

  it('keeps the calls of a subagent right behind its card', () => {
    fc.assert(
      fc.property(fc.array(envelopes, { maxLength: 30 }), (events) => {
        const blocks = fold(
          [],
          events.map((event, index) => ({ ...event, id: `e${index}` })),
        );
        for (const [index, block] of blocks.entries()) {
          if (block.kind !== 'tool' || block.agent === undefined) continue;
          const before = blocks[index - 1];
          expect(before?.kind).toBe('tool');
          if (before?.kind === 'tool')
            expect([before.runs, before.agent]).not.toEqual([undefined, undefined]);
        }
      }),
    );
  });
});

describe('ordinary activity', () => {
  const newId = () => {
    serial += 1;
    return `n${serial}`;
  };
  const context = (now: number) => ({ now, newId });
  const live = (activities: readonly (readonly [number, Activity])[]): LiveTurn =>
    activities.reduce(
      (turn, [now, activity]) => applyActivity(turn, activity, context(now)),
      beginTurn('turn', context(1)),
    );
  const tool = (id: string, status: 'running' | 'completed' | 'failed'): Activity => ({
    kind: 'tool',
    activity_id: id,
    tool_id: 'tool-1',
    tool_name: 'read',
    server_id: null,
    transport: 'local',
    status,
    timed_out: null,
    details_omitted: true,
  });
  const life = (
    id: string,
    category: 'tool' | 'subagent_task' | 'subagent_batch' | 'activity',
    status: 'running' | 'completed' | 'failed',
    parent?: string,
  ): Activity => ({
    kind: 'lifecycle',
    activity_id: id,
    ...(parent === undefined ? {} : { parent_activity_id: parent }),
    category,
    status,
    details_omitted: true,
  });
  const shapeOf = (turn: LiveTurn) => shape(treeOf(turn.blocks, true).nodes);

  it('puts tools below the subagent that their parents lead to', () => {
    const turn = live([
      [2, life('batch', 'subagent_batch', 'running')],
      [3, life('task', 'subagent_task', 'running', 'batch')],
      [4, life('call', 'tool', 'running', 'task')],
      [5, tool('call', 'running')],
      [6, tool('other', 'running')],
      [9, tool('call', 'completed')],
      [12, life('task', 'activity', 'failed')],
    ]);
    expect(shapeOf(turn)).toEqual(['task  failed (read  ok)', 'read  running']);
    expect(treeOf(turn.blocks).nodes[0]).toMatchObject({ startedAt: 3, durationMs: 9, tools: 1 });
  });

  it('begins a subagent once, however often its start is told', () => {
    const turn = live([
      [3, life('task', 'subagent_task', 'running')],
      [4, life('task', 'subagent_task', 'running')],
    ]);
    expect(shapeOf(turn)).toEqual(['task  running']);
  });

  it('takes the end of the lifecycle where the result was not told, and nothing but once', () => {
    const turn = live([
      [3, tool('call', 'running')],
      [5, life('call', 'activity', 'failed')],
      [9, life('call', 'activity', 'completed')],
    ]);
    expect(shapeOf(turn)).toEqual(['read  failed']);
    expect(treeOf(turn.blocks).nodes[0]?.durationMs).toBe(2);
  });

  it('shows a call whose beginning was not told, without a time', () => {
    const turn = live([[5, tool('call', 'completed')]]);
    expect(shapeOf(turn)).toEqual(['read  ok']);
    expect(treeOf(turn.blocks).nodes[0]).toMatchObject({ startedAt: null, durationMs: null });
  });

  it('tells of a compaction while it runs, and of one that failed', () => {
    const compact = (status: 'triggered' | 'running' | 'completed' | 'failed'): Activity => ({
      kind: 'compaction',
      activity_id: 'c',
      status,
      current_tokens: null,
      max_tokens: null,
      replay_required: false,
    });
    const nodesOf = (turn: LiveTurn) =>
      activityTree({
        blocks: turn.blocks,
        startedAt: 1,
        isRunning: true,
        compaction: turn.compaction,
        dropped: 0,
      }).nodes;
    const running = live([
      [3, compact('triggered')],
      [4, compact('running')],
    ]);
    expect(nodesOf(running)).toMatchObject([{ state: 'running', startedAt: 3, durationMs: null }]);
    const failed = applyActivity(running, compact('failed'), context(9));
    expect(nodesOf(failed)).toMatchObject([{ state: 'failed', startedAt: 3, durationMs: 6 }]);
    const again = applyActivity(failed, compact('completed'), context(12));
    expect(nodesOf(again)).toMatchObject([{ state: 'ok', startedAt: 12 }]);
  });

  it('survives parents that go round in a circle, and hostile names', () => {
    const turn = live([
      [2, life('a', 'tool', 'running', 'b')],
      [3, life('b', 'tool', 'running', 'a')],
      [4, life('__proto__', 'subagent_task', 'running', 'constructor')],
      [5, tool('a', 'running')],
    ]);
    expect(shapeOf(turn)).toEqual(['task  running', 'read  running']);
  });

  it('carries the count of what was left out into the settled turn', () => {
    const turn = { ...live([[3, tool('call', 'running')]]), dropped: 2 };
    const end = { status: 'completed', reason: '', assistant_text: '', activity_dropped: 3 } as const;
    const tree = treeOf(settle(turn, end, context(9)));
    expect(shape(tree.nodes)).toEqual(['read  unknown']);
    expect(tree).toMatchObject({ dropped: 3, endedAt: 9 });
  });
});

describe('the turn around a block', () => {
  const block = (kind: 'user' | 'answer' | 'turn-end', id: string): Block => {
    if (kind === 'user') return { kind, id, revision: 0, text: id };
    if (kind === 'answer') return { kind, id, revision: 0, turn: '', text: id, open: false };
    return { kind, id, revision: 0, status: 'completed', reason: '' };
  };
  const talk = [
    block('user', 'u1'),
    block('answer', 'a1'),
    block('turn-end', 'e1'),
    block('user', 'u2'),
    block('answer', 'a2'),
    // A crash has left this turn without an end.
    block('user', 'u3'),
    block('answer', 'a3'),
    block('turn-end', 'e3'),
  ];
  const ids = (blocks: readonly Block[]) => blocks.map(({ id }) => id);

  it('goes from its question to its end', () => {
    expect(ids(turnAround(talk, 1))).toEqual(['u1', 'a1', 'e1']);
    expect(ids(turnAround(talk, 2))).toEqual(['u1', 'a1', 'e1']);
    expect(ids(turnAround(talk, 4))).toEqual(['u2', 'a2']);
    expect(ids(lastTurn(talk))).toEqual(['u3', 'a3', 'e3']);
    expect(lastTurn([])).toEqual([]);
    const notice: Block = { kind: 'service', id: 'n', revision: 0, text: 'plan', tone: 'notice' };
    expect(ids(lastTurn([...talk, notice]))).toEqual(['u3', 'a3', 'e3', 'n']);
  });
});

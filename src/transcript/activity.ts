/**
 * What an agent does in one turn, as a tree: tools, subagents with their own tools below them, compaction,
 * reasoning. Made from the blocks of the turn, so it says what they say and nothing else.
 * Invariants: every block that tells of work appears once; nothing ends before it begins; a time that nobody
 * told is null.
 */
import type { Block, ThinkingBlock, ToolBlock } from './blocks.ts';
import type { Compaction } from './compaction.ts';

/** `unknown`: over, but how it ended is not told. */
export type ActivityState = 'running' | 'ok' | 'failed' | 'denied' | 'stopped' | 'unknown';

export interface ActivityNode {
  /** ID of the block that tells of it; a compaction that runs or failed has none. */
  readonly id: string;
  readonly kind: 'tool' | 'task' | 'compaction' | 'reasoning';
  readonly name: string;
  readonly title: string;
  readonly state: ActivityState;
  /** Unix time, ms. */
  readonly startedAt: number | null;
  /** Ms; null while it runs and where the end is not known. */
  readonly durationMs: number | null;
  /** Calls below it, at any depth. */
  readonly tools: number;
  readonly children: readonly ActivityNode[];
}

export interface ActivityTree {
  readonly nodes: readonly ActivityNode[];
  /** Unix time, ms. */
  readonly startedAt: number | null;
  /** Unix time, ms; null while the turn runs. */
  readonly endedAt: number | null;
  /** Updates that the service left out: something may be missing. */
  readonly dropped: number;
}

export interface TurnOfActivity {
  readonly blocks: readonly Block[];
  /** Unix time, ms; null when only the blocks can tell. */
  readonly startedAt: number | null;
  readonly isRunning: boolean;
  readonly compaction: Compaction | null;
  readonly dropped: number;
}

/** ID of a compaction that has left no block. */
export const COMPACTION_ID = 'compaction';

export function activityTree(turn: TurnOfActivity): ActivityTree {
  const { blocks, compaction, dropped, isRunning } = turn;
  const below = new Map<string, Block[]>();
  const cards = new Set(blocks.map((block) => (block.kind === 'tool' ? block.runs : undefined)));
  const roots: Block[] = [];
  for (const block of blocks) {
    const agent = block.kind === 'tool' ? block.agent : undefined;
    if (agent === undefined || !cards.has(agent)) roots.push(block);
    else if (below.get(agent)?.push(block) === undefined) below.set(agent, [block]);
  }
  const nodes = nodesOf(roots, below);
  // Subagents that name each other in a circle hang on no root: they stand there themselves.
  for (const rest of below.values()) nodes.push(...nodesOf(rest, new Map()));
  const end = blocks.findLast((block) => block.kind === 'turn-end');
  const startedAt = turn.startedAt ?? blocks.find((block) => block.at !== undefined)?.at ?? null;
  const endedAt = isRunning ? null : endOf(end?.at ?? null, nodes);
  return {
    nodes: withCompactionNode(nodes, compaction),
    startedAt,
    // Clocks that are set back end nothing before it began.
    endedAt: endedAt === null ? null : Math.max(endedAt, startedAt ?? 0),
    dropped: Math.max(dropped, end?.kind === 'turn-end' ? (end.dropped ?? 0) : 0),
  };
}

/** Whether anything was done beyond thinking and answering. */
export function hasActivity(turn: Pick<TurnOfActivity, 'blocks' | 'compaction'>): boolean {
  return (
    turn.compaction !== null || turn.blocks.some((block) => block.kind === 'tool' || isCompaction(block))
  );
}

/** Takes what it has placed out of `below`: no block is placed twice. */
function nodesOf(blocks: readonly Block[], below: Map<string, Block[]>): ActivityNode[] {
  return blocks.flatMap((block) => {
    if (block.kind === 'tool') return [toolNode(block, below)];
    if (block.kind === 'thinking') return [reasoningNode(block)];
    return isCompaction(block) ? [compactionNode(block.id, 'ok', block.at ?? null, null)] : [];
  });
}

function isCompaction(block: Block): boolean {
  return block.kind === 'service' && block.compaction === true;
}

const STATES: Readonly<Record<ToolBlock['status'], ActivityState>> = {
  running: 'running',
  ok: 'ok',
  error: 'failed',
  denied: 'denied',
  cancelled: 'stopped',
  unknown: 'unknown',
};

function toolNode(block: ToolBlock, below: Map<string, Block[]>): ActivityNode {
  const { id, name, runs, status, title } = block;
  const own = runs === undefined ? [] : (below.get(runs) ?? []);
  if (runs !== undefined) below.delete(runs);
  const children = nodesOf(own, below);
  return {
    id,
    kind: runs === undefined ? 'tool' : 'task',
    name,
    title,
    state: STATES[status],
    startedAt: block.startedAt > 0 ? block.startedAt : null,
    durationMs:
      status === 'running' || block.durationMs === null ? null : Math.max(0, Math.round(block.durationMs)),
    tools: children.reduce((sum, child) => sum + 1 + child.tools, 0),
    children,
  };
}

function reasoningNode({ at, id, open, text }: ThinkingBlock): ActivityNode {
  return {
    id,
    kind: 'reasoning',
    name: 'thought',
    title: text.trimStart().split('\n', 1)[0] ?? '',
    state: open === true ? 'running' : 'ok',
    startedAt: at ?? null,
    durationMs: null,
    tools: 0,
    children: [],
  };
}

function compactionNode(
  id: string,
  state: ActivityState,
  startedAt: number | null,
  durationMs: number | null,
): ActivityNode {
  const title = 'earlier messages';
  return {
    id,
    kind: 'compaction',
    name: 'compact',
    title,
    state,
    startedAt,
    durationMs,
    tools: 0,
    children: [],
  };
}

const COMPACTION_STATES: Readonly<Record<Compaction['status'], ActivityState>> = {
  running: 'running',
  completed: 'ok',
  failed: 'failed',
  cancelled: 'stopped',
};

/** One that has come about stands in a block of its own. */
function withCompactionNode(nodes: readonly ActivityNode[], compaction: Compaction | null): ActivityNode[] {
  if (compaction === null || compaction.status === 'completed') return [...nodes];
  const { endedAt, startedAt, status } = compaction;
  const lasted = endedAt === null ? null : Math.max(0, endedAt - startedAt);
  const node = compactionNode(COMPACTION_ID, COMPACTION_STATES[status], startedAt, lasted);
  const place = nodes.findIndex((other) => (other.startedAt ?? 0) > startedAt);
  return nodes.toSpliced(place < 0 ? nodes.length : place, 0, node);
}

/** The end of a turn that did not say when: that of its last work. */
function endOf(told: number | null, nodes: readonly ActivityNode[]): number | null {
  const ends = nodes.flatMap(({ durationMs, startedAt }) =>
    startedAt === null ? [] : [startedAt + (durationMs ?? 0)],
  );
  if (told === null && ends.length === 0) return null;
  return Math.max(told ?? 0, ...ends);
}

/** The last turn of a talk: its blocks, from the question on. */
export function lastTurn(blocks: readonly Block[]): readonly Block[] {
  return turnAround(blocks, blocks.length - 1);
}

/** The turn that a block belongs to. Costs what that turn holds. */
export function turnAround(blocks: readonly Block[], index: number): readonly Block[] {
  let from = index;
  while (from > 0 && !begins(blocks, from)) from -= 1;
  let to = index + 1;
  while (to < blocks.length && !begins(blocks, to)) to += 1;
  return blocks.slice(Math.max(0, from), to);
}

function begins(blocks: readonly Block[], index: number): boolean {
  const before = blocks[index - 1];
  const block = blocks[index];
  if (before === undefined) return true;
  // What is said between two turns belongs to the one before.
  if (before.kind === 'turn-end') return block?.kind !== 'service';
  return block?.kind === 'user' && block.steer !== true && before.kind !== 'user';
}

/** Calls in the whole tree. */
export function countTools(nodes: readonly ActivityNode[]): number {
  return nodes.reduce(
    (sum, { kind, tools }) => sum + tools + (kind === 'tool' || kind === 'task' ? 1 : 0),
    0,
  );
}

/**
 * Folding envelopes into blocks: what a reader sees, in order.
 * Invariants: a block keeps its `id` for life; `revision` grows whenever its content changes, so rows
 * can be cached by (id, revision); consecutive agent texts of one turn are one answer; the calls of a subagent
 * stand right behind the card of its task.
 */
import { type AnyEnvelope, type Envelope, isKnown, type ToolStatus } from './envelope.ts';
import { MODE_WORDS } from './mode-words.ts';

interface Base {
  readonly id: string;
  readonly revision: number;
  /** When it was told: Unix time, ms; absent where nobody says. */
  readonly at?: number;
}

export interface UserBlock extends Base {
  readonly kind: 'user';
  readonly text: string;
  /** Said into a running turn. */
  readonly steer?: boolean;
  /** The turn that it began, where that is known: the parts of a long message are one. */
  readonly turn?: string;
}
export interface AnswerBlock extends Base {
  readonly kind: 'answer';
  readonly turn: string;
  readonly text: string;
  /** Still growing. */
  readonly open: boolean;
}
export interface ThinkingBlock extends Base {
  readonly kind: 'thinking';
  readonly text: string;
  /** Still growing. */
  readonly open?: boolean;
}
export interface ToolBlock extends Base {
  readonly kind: 'tool';
  readonly call: string;
  readonly name: string;
  readonly title: string;
  /** `unknown`: over, but how it ended is not told. */
  readonly status: ToolStatus | 'running' | 'unknown';
  /** It runs once a person has allowed it. */
  readonly asks?: true;
  /** Unix time, ms. */
  readonly startedAt: number;
  readonly durationMs: number | null;
  /** What it was called with, as far as one envelope holds it; absent where the service does not say. */
  readonly args?: Readonly<Record<string, unknown>>;
  readonly output: string;
  /** Bytes of the whole output, of which `output` may be the start; absent where the service does not say. */
  readonly outputBytes?: number;
  /** Of a command. */
  readonly exitCode?: number;
  readonly diff: string;
  readonly notice: string;
  /** ID of the subagent that made the call; its card stands before it. */
  readonly agent?: string;
  /** IDs of the cards that it belongs to, the outermost first. */
  readonly under?: readonly string[];
  /** A task: ID of the subagent that it runs, and how many calls that made, with those of its own subagents. */
  readonly runs?: string;
  readonly tools?: number;
}
export interface ServiceBlock extends Base {
  readonly kind: 'service';
  readonly text: string;
  readonly tone: 'notice' | 'error';
  /** Tells of a compaction. */
  readonly compaction?: boolean;
}
export interface TurnEndBlock extends Base {
  readonly kind: 'turn-end';
  readonly status: 'completed' | 'failed' | 'cancelled';
  readonly reason: string;
  /** Updates of the turn that the service left out. */
  readonly dropped?: number;
}
/** A file that went with a message. */
export interface FileBlock extends Base {
  readonly kind: 'file';
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  /** Pixels; absent when it is no image. */
  readonly image?: { readonly width: number; readonly height: number };
}
export type Block =
  | FileBlock
  | UserBlock
  | AnswerBlock
  | ThinkingBlock
  | ToolBlock
  | ServiceBlock
  | TurnEndBlock;

/** Blocks with the envelopes folded in. Copies the list once, however many envelopes come. */
export function fold(blocks: readonly Block[], envelopes: readonly AnyEnvelope[]): readonly Block[] {
  if (envelopes.length === 0) return blocks;
  const next = [...blocks];
  for (const envelope of envelopes) foldOne(next, envelope);
  return next;
}

/** Only its size: the rest of an image is not for the talk. */
function imageOf({
  image,
}: {
  image?: { width: number; height: number } | undefined;
}): Pick<FileBlock, 'image'> {
  return image === undefined ? {} : { image: { width: image.width, height: image.height } };
}

function foldOne(blocks: Block[], envelope: AnyEnvelope): void {
  const { id, time } = envelope;
  if (!isKnown(envelope)) {
    blocks.push(service(id, `(${envelope.ev.t}: not known to this version)`, 'notice'));
    return;
  }
  const { ev } = envelope;
  switch (ev.t) {
    case 'text':
      // A subagent speaks to its caller: what it found is the output of its task.
      if (envelope.subagent === undefined) foldText(blocks, envelope, ev);
      return;
    case 'file':
      blocks.push({
        kind: 'file',
        id,
        revision: 0,
        ...at(time),
        name: ev.name,
        size: ev.size,
        ...imageOf(ev),
      });
      return;
    case 'tool-call-start':
      startTool(blocks, envelope.subagent, {
        kind: 'tool',
        id,
        revision: 0,
        call: ev.call,
        name: ev.name,
        title: ev.title,
        status: 'running',
        startedAt: time,
        durationMs: null,
        ...(Object.keys(ev.args).length === 0 ? {} : { args: ev.args }),
        output: '',
        diff: '',
        notice: '',
      });
      return;
    case 'tool-call-end':
      endTool(blocks, ev.call, (tool) => ({
        ...tool,
        status: ev.status ?? 'ok',
        durationMs: ev.durationMs ?? lasted(tool, time),
        output: ev.output ?? '',
        ...(ev.outputBytes === undefined ? {} : { outputBytes: ev.outputBytes }),
        ...(ev.exitCode === undefined ? {} : { exitCode: ev.exitCode }),
        diff: ev.diff ?? '',
        notice: ev.notice ?? '',
      }));
      return;
    case 'service':
      blocks.push({
        ...service(id, ev.summary ?? ev.text, ev.kind === 'error' ? 'error' : 'notice'),
        ...at(time),
        ...(ev.kind === 'compaction' ? { compaction: true } : {}),
      });
      return;
    case 'turn-end':
      endTools(blocks, ev.status);
      blocks.push({
        kind: 'turn-end',
        id,
        revision: 0,
        ...at(time),
        status: ev.status,
        reason: ev.error?.message ?? '',
      });
      return;
    case 'subagent-start':
      startAgent(blocks, envelope, ev);
      return;
    case 'subagent-stop':
      // A task that a tool call has begun ends with that call, which says how.
      endTool(blocks, ev.agentId, (card) =>
        card.status === 'running' ? { ...card, status: 'unknown', durationMs: lasted(card, time) } : card,
      );
      return;
    case 'agent-configuration-changed':
      foldChoices(blocks, id, ev);
      return;
    case 'turn-start':
    case 'session-control-changed':
    case 'permission-request':
    case 'permission-response':
    case 'abort':
      return;
  }
}

/** What the session works with from here on. */
function foldChoices(
  blocks: Block[],
  id: string,
  {
    model,
    permissionMode,
    provider,
    sandbox,
    thinkingLevel,
  }: Extract<Envelope['ev'], { t: 'agent-configuration-changed' }>,
): void {
  const parts = [
    ...(model === undefined ? [] : [`model ${provider === undefined ? '' : `${provider}/`}${model}`]),
    ...(thinkingLevel === undefined ? [] : [`thinking ${thinkingLevel}`]),
    ...(permissionMode === undefined ? [] : [MODE_WORDS[permissionMode]]),
    ...(sandbox === undefined ? [] : [`sandbox ${sandbox ? 'on' : 'off'}`]),
  ];
  if (parts.length > 0) blocks.push(service(id, `from here on: ${parts.join(', ')}`, 'notice'));
}

function service(id: string, text: string, tone: 'notice' | 'error'): ServiceBlock {
  return { kind: 'service', id, revision: 0, text, tone };
}

function at(time: number): { at?: number } {
  return time > 0 ? { at: time } : {};
}

/** Ms from the start of a call to a time; null where one of them is not known. */
function lasted({ startedAt }: ToolBlock, time: number): number | null {
  return time > 0 && startedAt > 0 ? Math.max(0, time - startedAt) : null;
}

function foldText(
  blocks: Block[],
  envelope: Envelope,
  ev: { text: string; thinking?: boolean | undefined; steer?: boolean | undefined },
): void {
  const { id, time } = envelope;
  if (envelope.role === 'user') {
    foldSaid(blocks, envelope, ev);
    return;
  }
  if (ev.thinking === true) {
    blocks.push({ kind: 'thinking', id, revision: 0, ...at(time), text: ev.text });
    return;
  }
  const last = blocks.at(-1);
  const turn = envelope.turn ?? '';
  if (last?.kind === 'answer' && last.turn === turn) {
    blocks[blocks.length - 1] = { ...last, revision: last.revision + 1, text: last.text + ev.text };
    return;
  }
  blocks.push({ kind: 'answer', id, revision: 0, turn, text: ev.text, open: false });
}

/** No tool outlives its turn: one that ran when the turn was stopped was stopped, any other has ended unseen. */
function endTools(blocks: Block[], turn: TurnEndBlock['status']): void {
  for (let index = blocks.length - 1; index >= 0; index -= 1) {
    const block = blocks[index];
    if (block === undefined || block.kind === 'turn-end') return;
    if (block.kind === 'tool') blocks[index] = outlived(block, turn);
  }
}

/** The call once its turn is over. */
export function outlived(tool: ToolBlock, turn: TurnEndBlock['status']): ToolBlock {
  if (tool.status !== 'running') return tool;
  return { ...tool, status: turn === 'completed' ? 'unknown' : 'cancelled', revision: tool.revision + 1 };
}

/** The call of a subagent goes behind the card of its task, and is counted there. */
function startTool(blocks: Block[], agent: string | undefined, tool: ToolBlock): void {
  if (agent === undefined) {
    blocks.push(tool);
    return;
  }
  if (cardIndex(blocks, agent) < 0) blocks.push(cardOf(agent, `${tool.id}-task`, '', 0));
  countCall(blocks, agent);
  const card = blocks[cardIndex(blocks, agent)];
  const under = card?.kind === 'tool' ? [...(card.under ?? []), card.id] : [];
  blocks.splice(behindCard(blocks, agent), 0, { ...tool, agent, under });
}

/** A subagent that a waiting `task` call has started is shown in that call; any other gets a card of its own. */
function startAgent(
  blocks: Block[],
  { id, subagent: by, time }: Envelope,
  { agentId, title = '' }: { agentId: string; title?: string | undefined },
): void {
  if (cardIndex(blocks, agentId) >= 0) return;
  const from = blocks.findLastIndex((block) => block.kind === 'turn-end') + 1;
  const waiting = blocks
    .slice(from)
    .findIndex((block) => block.kind === 'tool' && isWaiting(block, by, title));
  const index = waiting < 0 ? -1 : from + waiting;
  const task = blocks[index];
  if (task?.kind === 'tool') {
    blocks[index] = { ...task, runs: agentId, tools: 0, revision: task.revision + 1 };
    return;
  }
  const card = cardOf(agentId, id, title, time);
  if (by === undefined) blocks.push(card);
  else startTool(blocks, by, card);
}

function isWaiting(tool: ToolBlock, by: string | undefined, title: string): boolean {
  const isFree = tool.status === 'running' && tool.runs === undefined && tool.agent === by;
  return isFree && tool.name === 'task' && tool.title === title;
}

function cardOf(agent: string, id: string, title: string, startedAt: number): ToolBlock {
  const empty = { output: '', diff: '', notice: '', durationMs: null } as const;
  const head = {
    kind: 'tool',
    id,
    revision: 0,
    call: agent,
    name: 'task',
    title,
    status: 'running',
  } as const;
  return { ...head, ...empty, startedAt, runs: agent, tools: 0 };
}

/** The place of a subagent's card in the last turn, or -1. */
function cardIndex(blocks: readonly Block[], agent: string): number {
  for (let index = blocks.length - 1; index >= 0; index -= 1) {
    const block = blocks[index];
    if (block?.kind === 'turn-end') return -1;
    if (block?.kind === 'tool' && block.runs === agent) return index;
  }
  return -1;
}

/** The place behind everything that a subagent has done so far, its own subagents included. */
function behindCard(blocks: readonly Block[], agent: string): number {
  const below = new Set([agent]);
  for (let index = cardIndex(blocks, agent) + 1; ; index += 1) {
    const block = blocks[index];
    if (block?.kind !== 'tool' || block.agent === undefined || !below.has(block.agent)) return index;
    if (block.runs !== undefined) below.add(block.runs);
  }
}

/** One call more for a task and for those that it works for. */
function countCall(blocks: Block[], agent: string): void {
  const counted = new Set<string>();
  for (let by: string | undefined = agent; by !== undefined && !counted.has(by); ) {
    counted.add(by);
    const index = cardIndex(blocks, by);
    const card = blocks[index];
    if (card?.kind !== 'tool') return;
    blocks[index] = { ...card, tools: (card.tools ?? 0) + 1, revision: card.revision + 1 };
    by = card.agent;
  }
}

/** A long message comes in several envelopes of its turn. */
function foldSaid(
  blocks: Block[],
  { id, time, turn }: Envelope,
  { steer, text }: { text: string; steer?: boolean | undefined },
): void {
  const last = blocks.at(-1);
  if (last?.kind === 'user' && turn !== undefined && last.turn === turn && steer !== true && !last.steer) {
    blocks[blocks.length - 1] = { ...last, revision: last.revision + 1, text: last.text + text };
    return;
  }
  const more = { ...(steer === true ? { steer } : {}), ...(turn === undefined ? {} : { turn }) };
  blocks.push({ kind: 'user', id, revision: 0, ...at(time), text, ...more });
}

function endTool(blocks: Block[], call: string, change: (tool: ToolBlock) => ToolBlock): void {
  const index = blocks.findLastIndex((block) => block.kind === 'tool' && block.call === call);
  const tool = blocks[index];
  if (tool?.kind !== 'tool') return;
  blocks[index] = { ...change(tool), revision: tool.revision + 1 };
}

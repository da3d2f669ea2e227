/**
 * Folding envelopes into blocks: what a reader sees, in order.
 * Invariants: a block keeps its `id` for life; `revision` grows whenever its content changes, so rows
 * can be cached by (id, revision); consecutive agent texts of one turn are one answer.
 */
import { type AnyEnvelope, type Envelope, isKnown, type ToolStatus } from './envelope.ts';

interface Base {
  readonly id: string;
  readonly revision: number;
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
}
export interface ToolBlock extends Base {
  readonly kind: 'tool';
  readonly call: string;
  readonly name: string;
  readonly title: string;
  readonly status: ToolStatus | 'running';
  /** Unix time, ms. */
  readonly startedAt: number;
  readonly durationMs: number | null;
  readonly output: string;
  readonly diff: string;
  readonly notice: string;
  /** Run by a subagent. */
  readonly nested?: boolean;
}
export interface ServiceBlock extends Base {
  readonly kind: 'service';
  readonly text: string;
  readonly tone: 'notice' | 'error';
}
export interface TurnEndBlock extends Base {
  readonly kind: 'turn-end';
  readonly status: 'completed' | 'failed' | 'cancelled';
  readonly reason: string;
}
export type Block = UserBlock | AnswerBlock | ThinkingBlock | ToolBlock | ServiceBlock | TurnEndBlock;

/** Blocks with the envelopes folded in. Copies the list once, however many envelopes come. */
export function fold(blocks: readonly Block[], envelopes: readonly AnyEnvelope[]): readonly Block[] {
  if (envelopes.length === 0) return blocks;
  const next = [...blocks];
  for (const envelope of envelopes) foldOne(next, envelope);
  return next;
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
      blocks.push({ kind: 'user', id, revision: 0, text: `[${ev.name}, ${ev.size} bytes]` });
      return;
    case 'tool-call-start':
      blocks.push({
        kind: 'tool',
        id,
        revision: 0,
        call: ev.call,
        name: ev.name,
        title: ev.title,
        status: 'running',
        startedAt: time,
        durationMs: null,
        output: '',
        diff: '',
        notice: '',
        ...(envelope.subagent === undefined ? {} : { nested: true }),
      });
      return;
    case 'tool-call-end':
      endTool(blocks, ev.call, (tool) => ({
        ...tool,
        status: ev.status ?? 'ok',
        durationMs: ev.durationMs ?? (time > 0 && tool.startedAt > 0 ? time - tool.startedAt : null),
        output: ev.output ?? '',
        diff: ev.diff ?? '',
        notice: ev.notice ?? '',
      }));
      return;
    case 'service':
      blocks.push(service(id, ev.summary ?? ev.text, ev.kind === 'error' ? 'error' : 'notice'));
      return;
    case 'turn-end':
      stopTools(blocks);
      blocks.push({ kind: 'turn-end', id, revision: 0, status: ev.status, reason: ev.error?.message ?? '' });
      return;
    case 'subagent-start':
      blocks.push(service(id, `subagent: ${ev.title ?? ev.agentId}`, 'notice'));
      return;
    case 'agent-configuration-changed':
      if (ev.model !== undefined) blocks.push(service(id, `model: ${ev.model}`, 'notice'));
      return;
    case 'turn-start':
    case 'subagent-stop':
    case 'session-control-changed':
    case 'permission-request':
    case 'permission-response':
    case 'abort':
      return;
  }
}

function service(id: string, text: string, tone: 'notice' | 'error'): ServiceBlock {
  return { kind: 'service', id, revision: 0, text, tone };
}

function foldText(
  blocks: Block[],
  envelope: Envelope,
  ev: { text: string; thinking?: boolean | undefined; steer?: boolean | undefined },
): void {
  const { id } = envelope;
  if (envelope.role === 'user') {
    foldSaid(blocks, envelope, ev);
    return;
  }
  if (ev.thinking === true) {
    blocks.push({ kind: 'thinking', id, revision: 0, text: ev.text });
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

/** No tool outlives its turn. */
function stopTools(blocks: Block[]): void {
  for (let index = blocks.length - 1; index >= 0; index -= 1) {
    const block = blocks[index];
    if (block === undefined || block.kind === 'turn-end') return;
    if (block.kind === 'tool' && block.status === 'running')
      blocks[index] = { ...block, status: 'cancelled', revision: block.revision + 1 };
  }
}

/** A long message comes in several envelopes of its turn. */
function foldSaid(
  blocks: Block[],
  { id, turn }: Envelope,
  { steer, text }: { text: string; steer?: boolean | undefined },
): void {
  const last = blocks.at(-1);
  if (last?.kind === 'user' && turn !== undefined && last.turn === turn && steer !== true && !last.steer) {
    blocks[blocks.length - 1] = { ...last, revision: last.revision + 1, text: last.text + text };
    return;
  }
  const more = { ...(steer === true ? { steer } : {}), ...(turn === undefined ? {} : { turn }) };
  blocks.push({ kind: 'user', id, revision: 0, text, ...more });
}

function endTool(blocks: Block[], call: string, change: (tool: ToolBlock) => ToolBlock): void {
  const index = blocks.findLastIndex((block) => block.kind === 'tool' && block.call === call);
  const tool = blocks[index];
  if (tool?.kind !== 'tool') return;
  blocks[index] = { ...change(tool), revision: tool.revision + 1 };
}

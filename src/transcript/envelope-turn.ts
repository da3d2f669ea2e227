/**
 * The running turn as its envelopes tell it (PROTOCOL.md, "Session profile").
 * Invariants: what an envelope says replaces the deltas that announced it; subagents speak in their own
 * results and not in the answer; a question is open until its answer, the end of its tool, or the end of the turn.
 */
import { type Block, fold } from './blocks.ts';
import { type AnyEnvelope, type Envelope, isKnown } from './envelope.ts';

/** Text of an envelope that has not come yet. */
export interface Pending {
  /** ID of the envelope. */
  readonly id: string;
  readonly text: string;
  readonly thinking: boolean;
  /** When its first piece came: Unix time, ms. */
  readonly at: number;
}

/** Something that a tool may only do once a person has said so. */
export interface Question {
  readonly call: string;
  readonly toolName: string;
  readonly title: string;
  readonly description: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** The rules that "always" would write; none when it cannot be put as a rule. */
  readonly rules: readonly string[];
}

export interface EnvelopeTurn {
  readonly settled: readonly Block[];
  readonly pending: readonly Pending[];
  /** The oldest question first. */
  readonly questions: readonly Question[];
}

export const NO_ENVELOPES: EnvelopeTurn = { settled: [], pending: [], questions: [] };

/** Text that is being written: a new piece, or more of the last one. */
export function withDelta(turn: EnvelopeTurn, { at, id, text, thinking }: Pending): EnvelopeTurn {
  const known = turn.pending.some((piece) => piece.id === id);
  const pending = known
    ? turn.pending.map((piece) => (piece.id === id ? { ...piece, text: piece.text + text } : piece))
    : [...turn.pending, { id, text, thinking, at }];
  return { ...turn, pending };
}

export function withEnvelope(turn: EnvelopeTurn, envelope: AnyEnvelope): EnvelopeTurn {
  return {
    settled: fold(turn.settled, [envelope]),
    pending: turn.pending.filter((piece) => piece.id !== envelope.id),
    questions: isKnown(envelope) ? questionsAfter(turn.questions, envelope.ev) : turn.questions,
  };
}

/** Everything that is said so far, in order; the text that is being written is open. */
export function shownBlocks(
  { pending, questions, settled: told }: EnvelopeTurn,
  turnId: string,
): readonly Block[] {
  const settled = asking(told, questions);
  if (pending.length === 0) return settled;
  const before = settled.at(-1);
  const turn = before?.kind === 'answer' ? before.turn : turnId;
  const announced = pending.map(
    ({ at, id, text, thinking }): Envelope => ({
      id,
      time: at,
      role: 'agent',
      turn,
      ev: thinking ? { t: 'text', text, thinking } : { t: 'text', text },
    }),
  );
  const blocks = [...fold(settled, announced)];
  const last = blocks.at(-1);
  if (last?.kind === 'answer' || last?.kind === 'thinking')
    blocks[blocks.length - 1] = { ...last, open: true };
  return blocks;
}

/** A tool with an open question does not run yet. Revisions of such blocks are their own: below zero. */
function asking(blocks: readonly Block[], questions: readonly Question[]): readonly Block[] {
  if (questions.length === 0) return blocks;
  const calls = new Set(questions.map(({ call }) => call));
  return blocks.map((block) =>
    block.kind === 'tool' && block.status === 'running' && calls.has(block.call)
      ? { ...block, asks: true as const, revision: -1 - block.revision }
      : block,
  );
}

function questionsAfter(questions: readonly Question[], ev: Envelope['ev']): readonly Question[] {
  switch (ev.t) {
    case 'permission-request': {
      const { args, call, description, title, toolName } = ev;
      const { rules, ...shown } = args;
      return [...questions, { call, toolName, title, description, args: shown, rules: textsOf(rules) }];
    }
    case 'permission-response':
    case 'tool-call-end':
      return questions.filter((question) => question.call !== ev.call);
    case 'turn-end':
      return [];
    default:
      return questions;
  }
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

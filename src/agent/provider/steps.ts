/**
 * A running turn as steps: an answer of the model, the results of its tools, and what was said before the next one.
 * Invariants: a call and its result stay together; what the user said is never left out.
 */
import type {
  AssistantMessage,
  ImageContent,
  Message,
  TextContent,
  ToolResultMessage,
  UserMessage,
} from '@earendil-works/pi-ai';
import { bytesOf } from '../history-size.ts';
import { cutText } from '../tools/bounded.ts';
import { NO_USAGE } from './history.ts';
import { messagesTokens } from './message-size.ts';

type Step = readonly Message[];

export interface Kept {
  /** What the user said so far, as one message, then the newest steps. */
  readonly messages: readonly Message[];
  /** Of the steps alone, roughly. */
  readonly tokens: number;
}

/** What steps may take, in tokens. */
export interface StepsRoom {
  readonly all: number;
  /** The last one alone, which the model has not worked with yet. At least as much as all. */
  readonly last: number;
}

/**
 * The newest whole steps of a turn that fit, at least the last one, with its results shortened if they must be.
 * @param turn starts with what the user said
 */
export function newestSteps(turn: readonly Message[], { all, last }: StepsRoom): Kept {
  const steps = stepsOf(turn);
  let start = steps.length;
  let room = all;
  while (start > 0) {
    room -= messagesTokens(steps[start - 1] ?? []);
    if (room < 0) break;
    start -= 1;
  }
  const kept = start < steps.length ? steps.slice(start) : steps.slice(-1).map((step) => cutStep(step, last));
  const left = turn.slice(0, turn.length - kept.flat().length);
  const messages = kept.flat().map(uncounted);
  return { messages: [...together(left.filter(isUser)), ...messages], tokens: messagesTokens(messages) };
}

/** Everything but the last words of the user that nobody has answered yet. */
export function answered(turn: readonly Message[]): readonly Message[] {
  return turn.slice(0, turn.findLastIndex((message) => !isUser(message)) + 1);
}

function stepsOf(turn: readonly Message[]): Step[] {
  const steps: Message[][] = [];
  for (const message of turn) {
    if (message.role === 'assistant') steps.push([message]);
    else steps.at(-1)?.push(message);
  }
  return steps;
}

function cutStep(step: Step, tokens: number): Step {
  if (messagesTokens(step) <= tokens) return step;
  const results = step.filter(({ role }) => role === 'toolResult').length;
  const bytes = bytesOf(tokens / Math.max(1, results));
  return step.map((message) => (message.role === 'toolResult' ? cutResult(message, bytes) : message));
}

function cutResult(result: ToolResultMessage, bytes: number): ToolResultMessage {
  const content = result.content.map((part): TextContent | ImageContent => {
    if (part.type === 'image' || Buffer.byteLength(part.text) <= bytes) return part;
    return {
      type: 'text',
      text: `${cutText(part.text, bytes)}\n[… cut here: the conversation became too long …]`,
    };
  });
  return { ...result, content };
}

/** What the provider counted held with everything that came before. */
function uncounted(message: Message): Message {
  return message.role === 'assistant'
    ? ({ ...message, usage: NO_USAGE } satisfies AssistantMessage)
    : message;
}

/** Some servers refuse two messages of the user in a row. */
function together(said: readonly UserMessage[]): readonly UserMessage[] {
  const [first, ...more] = said;
  if (first === undefined || more.length === 0) return said;
  return [{ ...first, content: said.flatMap(({ content }) => partsOf(content)) }];
}

function partsOf(content: UserMessage['content']): (TextContent | ImageContent)[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}

function isUser(message: Message): message is UserMessage {
  return message.role === 'user';
}

/** Conversation as the SDK's messages, and back. */
import type {
  Api,
  AssistantMessage,
  ImageContent,
  Message,
  Model,
  TextContent,
  ToolResultMessage,
} from '@earendil-works/pi-ai';
import type { HistoryItem } from '../runtime.ts';
import { type LoadedImages, userContent } from './images.ts';

/** Turns earlier conversation into the SDK's messages. Call ids are made anew: providers want them unique. */
export function historyMessages(
  history: readonly HistoryItem[],
  model: Model<Api>,
  images: LoadedImages,
): Message[] {
  const messages: Message[] = [];
  history.forEach((item, index) => {
    switch (item.kind) {
      case 'summary':
        messages.push({ role: 'user', content: `${SUMMARY_HEAD}\n\n${item.text}`, timestamp: 0 });
        // Some servers refuse two messages of the user in a row.
        messages.push(assistant(model, [{ type: 'text', text: SUMMARY_TAKEN }]));
        break;
      case 'user':
        messages.push({ role: 'user', content: userContent(item, images), timestamp: 0 });
        break;
      case 'assistant':
        if (item.text !== '') messages.push(assistant(model, [{ type: 'text', text: item.text }]));
        break;
      case 'tool':
        addToolCall(messages, item, `call_${index}`, model);
        break;
    }
  });
  return messages;
}

/** Turns messages of a running turn into items, each call with its result. Providers may repeat the ids of calls. */
export function itemsOf(messages: readonly Message[]): HistoryItem[] {
  const items: HistoryItem[] = [];
  for (const message of messages) {
    switch (message.role) {
      case 'system':
        break;
      case 'user':
        items.push({ kind: 'user', text: textOf(message.content) });
        break;
      case 'assistant':
        items.push(...answerItems(message));
        break;
      case 'toolResult':
        endTool(items, message);
        break;
    }
  }
  return items;
}

function answerItems({ content }: AssistantMessage): HistoryItem[] {
  return content.flatMap((block): HistoryItem[] => {
    if (block.type === 'text') return [{ kind: 'assistant', text: block.text }];
    if (block.type === 'thinking') return [];
    const { arguments: args, id: call, name } = block;
    return [{ kind: 'tool', call, name, args, output: '', status: 'cancelled' }];
  });
}

function endTool(items: HistoryItem[], { content, isError, toolCallId }: ToolResultMessage): void {
  const index = items.findLastIndex((item) => item.kind === 'tool' && item.call === toolCallId);
  const item = items[index];
  if (item?.kind !== 'tool') return;
  items[index] = { ...item, output: textOf(content), status: isError ? 'error' : 'ok' };
}

function textOf(content: string | readonly (TextContent | ImageContent)[]): string {
  if (typeof content === 'string') return content;
  return content.map((part) => (part.type === 'text' ? part.text : '[image]')).join('\n');
}

const SUMMARY_HEAD =
  'The conversation so far became too long. This is your own summary of it; go on from there, and read files again where you need them:';
const SUMMARY_TAKEN = 'I go on from this summary.';

/** Nobody counted. */
export const NO_USAGE: AssistantMessage['usage'] = {
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 0,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
};

type ToolItem = Extract<HistoryItem, { kind: 'tool' }>;

function addToolCall(messages: Message[], item: ToolItem, id: string, model: Model<Api>): void {
  // The arguments came from JSON and go back to JSON.
  const args: Record<string, never> = JSON.parse(JSON.stringify(item.args));
  const call = { type: 'toolCall' as const, id, name: item.name, arguments: args };
  const last = messages.at(-1);
  if (last?.role === 'assistant') last.content.push(call);
  else messages.push(assistant(model, [call]));
  const result: ToolResultMessage = {
    role: 'toolResult',
    toolCallId: id,
    toolName: item.name,
    content: [{ type: 'text', text: item.output }],
    isError: item.status !== 'ok',
    timestamp: 0,
  };
  messages.push(result);
}

function assistant(model: Model<Api>, content: AssistantMessage['content']): AssistantMessage {
  return {
    role: 'assistant',
    content,
    api: model.api,
    provider: model.provider,
    model: model.id,
    usage: NO_USAGE,
    stopReason: content.some((block) => block.type === 'toolCall') ? 'toolUse' : 'stop',
    timestamp: 0,
  };
}

import type { Api, AssistantMessage, Message, Model, ToolResultMessage } from '@earendil-works/pi-ai';
import type { HistoryItem } from '../runtime.ts';

/** Turns earlier conversation into the SDK's messages. Call ids are made anew: providers want them unique. */
export function historyMessages(history: readonly HistoryItem[], model: Model<Api>): Message[] {
  const messages: Message[] = [];
  history.forEach((item, index) => {
    switch (item.kind) {
      case 'user':
        messages.push({ role: 'user', content: item.text, timestamp: 0 });
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
    usage: {
      input: 0,
      output: 0,
      cacheRead: 0,
      cacheWrite: 0,
      totalTokens: 0,
      cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
    },
    stopReason: content.some((block) => block.type === 'toolCall') ? 'toolUse' : 'stop',
    timestamp: 0,
  };
}

/** Share of the window that earlier conversation may fill; the rest is for tools, files and the answer. */
const HISTORY_SHARE = 0.6;
/** Code needs more tokens than prose; better to keep too little than to be refused. */
const CHARS_PER_TOKEN = 3;

/**
 * The newest part of the history that fits into a window (tokens), starting with something the user said.
 * Everything when the window is unknown.
 */
export function fitHistory(history: readonly HistoryItem[], window: number | null): readonly HistoryItem[] {
  if (window === null) return history;
  let room = window * HISTORY_SHARE * CHARS_PER_TOKEN;
  let start = history.length;
  for (let index = history.length - 1; index >= 0; index -= 1) {
    const item = history[index];
    if (item === undefined) break;
    room -= sizeOf(item);
    if (room < 0) break;
    if (item.kind === 'user') start = index;
  }
  return room < 0 ? history.slice(start) : history;
}

function sizeOf(item: HistoryItem): number {
  return item.kind === 'tool' ? item.output.length + JSON.stringify(item.args).length : item.text.length;
}

import type { Api, AssistantMessage, Message, Model, ToolResultMessage } from '@earendil-works/pi-ai';
import type { HistoryItem } from '../runtime.ts';

/** Turns earlier conversation into the SDK's messages. Call ids are made anew: providers want them unique. */
export function historyMessages(history: readonly HistoryItem[], model: Model<Api>): Message[] {
  const messages: Message[] = [];
  history.forEach((item, index) => {
    switch (item.kind) {
      case 'summary':
        messages.push({ role: 'user', content: `${SUMMARY_HEAD}\n\n${item.text}`, timestamp: 0 });
        // Some servers refuse two messages of the user in a row.
        messages.push(assistant(model, [{ type: 'text', text: SUMMARY_TAKEN }]));
        break;
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

const SUMMARY_HEAD =
  'The conversation so far became too long. This is your own summary of it; go on from there, and read files again where you need them:';
const SUMMARY_TAKEN = 'I go on from this summary.';

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

import type { AgentEvent as SdkEvent } from '@earendil-works/pi-agent-core';
import type { AssistantMessage } from '@earendil-works/pi-ai';
import type { Tool } from '../tools/tool.ts';
import type { RequestOutcome, TurnReporter } from '../turn-reporter.ts';
import { RAN } from './sdk-tools.ts';

/** Makes the listener of one loop with these tools: tells the reporter what the SDK says happened. */
export function createReport(reporter: TurnReporter, tools: readonly Tool[]): (event: SdkEvent) => void {
  /** Arguments by the provider's call id, for calls that never run. */
  const args = new Map<string, unknown>();
  return (event) => {
    switch (event.type) {
      case 'message_update': {
        const delta = event.assistantMessageEvent;
        if (delta.type === 'text_delta') reporter.text(delta.delta);
        if (delta.type === 'thinking_delta') reporter.thinking(delta.delta);
        break;
      }
      case 'message_end':
        if (isAssistant(event.message)) reporter.requestEnded(outcomeOf(event.message));
        break;
      case 'tool_execution_start':
        args.set(event.toolCallId, event.args);
        break;
      case 'tool_execution_end':
        if (event.result?.details !== RAN) {
          const tool = tools.find(({ name }) => name === event.toolName) ?? { name: event.toolName };
          const output = textOf(event.result);
          reporter.toolNotRun({ tool, args: args.get(event.toolCallId), output });
        }
        break;
      case 'turn_end':
        args.clear();
        break;
      default:
        break;
    }
  };
}

function isAssistant(message: { role: string }): message is AssistantMessage {
  return message.role === 'assistant';
}

function outcomeOf({ stopReason, errorMessage, usage }: AssistantMessage): RequestOutcome {
  const counted = {
    inputTokens: usage.input + usage.cacheWrite,
    outputTokens: usage.output,
    cacheReadTokens: usage.cacheRead,
    cost: usage.cost.total,
  };
  return {
    usage: usage.totalTokens === 0 ? null : counted,
    contextTokens: usage.totalTokens,
    failure: stopReason === 'error' ? (errorMessage ?? 'unknown error') : null,
  };
}

/** The text of a result that the SDK made itself, for example for wrong arguments. */
function textOf(result: unknown): string {
  if (typeof result !== 'object' || result === null || !('content' in result)) return '';
  const { content } = result;
  if (!Array.isArray(content)) return '';
  const [block] = content;
  return typeof block?.text === 'string' ? block.text : '';
}

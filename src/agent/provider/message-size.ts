/** How much of a model's window messages take, in tokens: what the provider counted, and estimates of the rest. */
import type { ImageContent, Message, TextContent } from '@earendil-works/pi-ai';
import { tokensOf } from '../history-size.ts';

/** About what the vendors count for a large image. */
const IMAGE_TOKENS = 1_600;

/** The whole of them: what the last answer came to, and what came after it. */
export function contextTokens(messages: readonly Message[]): number {
  const counted = messages.findLastIndex((message) => message.role === 'assistant' && countOf(message) > 0);
  const last = messages[counted];
  const known = last === undefined ? 0 : countOf(last);
  return known + messagesTokens(messages.slice(counted + 1));
}

/** An estimate alone. */
export function messagesTokens(messages: readonly Message[]): number {
  return messages.reduce((sum, message) => sum + messageTokens(message), 0);
}

function countOf(message: Message): number {
  return message.role === 'assistant' ? message.usage.totalTokens : 0;
}

function messageTokens(message: Message): number {
  switch (message.role) {
    case 'system':
      return tokensOf(JSON.stringify([message.content, message.toolsAdded]));
    case 'user':
    case 'toolResult':
      return typeof message.content === 'string' ? tokensOf(message.content) : partsTokens(message.content);
    case 'assistant':
      return message.content.reduce((sum, block) => {
        if (block.type === 'text') return sum + tokensOf(block.text);
        if (block.type === 'thinking') return sum + tokensOf(block.thinking);
        return sum + tokensOf(block.name + JSON.stringify(block.arguments));
      }, 0);
  }
}

function partsTokens(parts: readonly (TextContent | ImageContent)[]): number {
  return parts.reduce((sum, part) => sum + (part.type === 'text' ? tokensOf(part.text) : IMAGE_TOKENS), 0);
}

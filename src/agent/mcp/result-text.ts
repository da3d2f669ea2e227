/**
 * What a server's tool gave, as text for the model: bounded, and what is not text is named in a line.
 */
import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client';
import { createHeadTail } from '../tools/bounded.ts';
import { oneLine, type ToolOutput } from '../tools/tool.ts';

const HEAD_BYTES = 16 * 1024;
const TAIL_BYTES = 32 * 1024;

export function resultOutput({ content, isError, structuredContent }: CallToolResult): ToolOutput {
  const texts = content.map(textOf);
  if (content.length === 0 && structuredContent !== undefined) texts.push(JSON.stringify(structuredContent));
  const { outputBytes, text } = boundedText(texts.join('\n').toWellFormed());
  const status = isError === true ? 'error' : 'ok';
  return { status, output: text === '' ? '[No output.]' : text, outputBytes };
}

/** A text of a server within the bounds of a tool's output. */
export function boundedText(text: string): { text: string; outputBytes: number } {
  const kept = createHeadTail(HEAD_BYTES, TAIL_BYTES);
  kept.add(Buffer.from(text));
  return { text: kept.text(), outputBytes: kept.total };
}

function textOf(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'image':
    case 'audio':
      return named(block.type, block.mimeType, block.data);
    case 'resource_link':
      return `[resource ${oneLine(`${block.uri} ${block.title ?? block.name}`)}]`;
    case 'resource': {
      const { resource } = block;
      return 'text' in resource
        ? `[resource ${oneLine(resource.uri)}]\n${resource.text}`
        : named(`resource ${resource.uri}`, resource.mimeType ?? 'unknown type', resource.blob);
    }
  }
}

/** @param base64 what cannot be shown */
function named(what: string, mimeType: string, base64: string): string {
  return `[${oneLine(`${what}, ${mimeType}`)}, ${Math.floor((base64.length * 3) / 4)} bytes: not shown]`;
}

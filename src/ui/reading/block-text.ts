/** The words of a block as they were written, for copying and for showing in full. */
import { lexBlocks, type Token } from '../../render/markdown-lexer.ts';
import type { Block } from '../../transcript/blocks.ts';

/** What a copy of the block holds: raw, nothing cleaned. Empty when there is nothing to copy. */
export function rawText(block: Block): string {
  switch (block.kind) {
    case 'user':
    case 'answer':
    case 'thinking':
    case 'service':
      return block.text;
    case 'tool':
      return block.diff || block.output || block.title;
    case 'file':
      return block.name;
    case 'turn-end':
      return block.reason;
  }
}

/** What a copy of several blocks holds: who said what, and which tools were called. */
export function conversationText(blocks: readonly Block[]): string {
  return blocks
    .map((block) => {
      if (block.kind === 'user') return `You: ${block.text}`;
      if (block.kind === 'tool') return `[${block.name}] ${block.title}`;
      return block.kind === 'answer' ? block.text.trim() : '';
    })
    .filter((text) => text !== '')
    .join('\n\n');
}

/** What a block is called in a sentence. */
export function blockName(block: Block): string {
  switch (block.kind) {
    case 'user':
      return 'your message';
    case 'answer':
      return 'answer';
    case 'thinking':
      return 'thinking';
    case 'tool':
      return `tool call ${block.name}`;
    case 'service':
      return block.tone === 'error' ? 'failure' : 'notice';
    case 'file':
      return 'attached file';
    case 'turn-end':
      return 'end of the turn';
  }
}

/** The pieces of code in a Markdown text, in their order, as they were written. */
export function codePieces(text: string): readonly string[] {
  return lexBlocks(text).flatMap(codeIn);
}

function codeIn(token: Token): readonly string[] {
  if (token.type === 'code' && 'text' in token && typeof token.text === 'string') return [token.text];
  const inner = 'tokens' in token && Array.isArray(token.tokens) ? token.tokens : [];
  const items = 'items' in token && Array.isArray(token.items) ? token.items : [];
  return [...inner, ...items].flatMap((part: Token) => codeIn(part));
}

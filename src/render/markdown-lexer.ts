/**
 * Markdown source to block tokens. One rule differs from CommonMark: link reference definitions are not
 * definitions but text, so no block depends on a later one and a stream can settle blocks as they pass.
 * `[text][name]` and `[name]: url` therefore stay visible as written.
 */
import { Lexer, type MarkedToken, type Token, Tokenizer } from 'marked';

export type { MarkedToken, Token, Tokens } from 'marked';

/** Beyond this a single block is not Markdown any more, and marked's recursion would not end well. */
const MAX_DEPTH_HINT = /^[ \t]*(?:>[ \t]?){64,}/m;

class NoDefinitions extends Tokenizer {
  override def(): undefined {
    return undefined;
  }
}

/** Block tokens of sanitised source; as one text token when the nesting is hostile. */
export function lexBlocks(source: string): readonly Token[] {
  if (MAX_DEPTH_HINT.test(source)) return plainTokens(source);
  try {
    return new Lexer({ gfm: true, tokenizer: new NoDefinitions() }).lex(source);
  } catch (error) {
    if (error instanceof RangeError) return plainTokens(source);
    throw error;
  }
}

function plainTokens(source: string): readonly Token[] {
  return [{ type: 'text', raw: source, text: source, escaped: false }];
}

const KNOWN: ReadonlySet<string> = new Set<MarkedToken['type']>([
  'blockquote',
  'br',
  'checkbox',
  'code',
  'codespan',
  'def',
  'del',
  'em',
  'escape',
  'heading',
  'hr',
  'html',
  'image',
  'link',
  'list',
  'list_item',
  'paragraph',
  'space',
  'strong',
  'table',
  'text',
]);

/** The token as one of marked's own kinds; of a foreign kind, its source as text. */
export function known(token: Token): MarkedToken {
  if (isKnown(token)) return token;
  return { type: 'text', raw: token.raw, text: token.raw, escaped: false };
}

function isKnown(token: Token): token is MarkedToken {
  return KNOWN.has(token.type);
}

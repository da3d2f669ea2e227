/** Inline Markdown tokens to spans. Line breaks within a paragraph stay breaks, as people type them in chat. */
import { safeHref } from './href.ts';
import { known, type MarkedToken, type Token, type Tokens } from './markdown-lexer.ts';
import { type Span, type Style, span } from './row.ts';
import { sanitise, sanitiseLine } from './sanitise.ts';

/** Spans of inline tokens in the given style, sanitised. LF in a span is a line break. */
export function inlineSpans(tokens: readonly Token[], style: Style): Span[] {
  return tokens.flatMap((token) => tokenSpans(known(token), style));
}

function tokenSpans(token: MarkedToken, style: Style): Span[] {
  switch (token.type) {
    case 'strong':
      return inlineSpans(token.tokens, within(style, 'strong'));
    case 'em':
      return inlineSpans(token.tokens, within(style, 'emphasis'));
    case 'del':
      return inlineSpans(token.tokens, within(style, 'strike'));
    case 'codespan':
      return [span(sanitise(token.text).replace(/\n/g, ' '), 'code')];
    case 'br':
      return [span('\n', style)];
    case 'link':
      return linkSpans(token);
    case 'image':
      return addressedSpans([span(sanitise(token.text), 'link', safeHref(token.href))], token.href);
    case 'text':
      // `text` has numeric references decoded already, also those of control characters: `raw` has not.
      return token.tokens === undefined
        ? [span(plainText(token.raw), style)]
        : inlineSpans(token.tokens, style);
    case 'escape':
      return [span(sanitise(token.text), style)];
    case 'html':
      return [span(sanitise(token.raw), style)];
    case 'checkbox':
    case 'space':
      return [];
    default:
      return [span(sanitise(token.raw), style)];
  }
}

function linkSpans(link: Tokens.Link): Span[] {
  const href = safeHref(link.href);
  const label = inlineSpans(link.tokens, 'link').map((part) =>
    href === undefined ? part : span(part.text, part.style, href),
  );
  return addressedSpans(label, link.href);
}

/** The label, followed by the address unless the label says it already. */
function addressedSpans(label: readonly Span[], address: string): Span[] {
  const shown = sanitiseLine(address);
  const text = label.map((part) => part.text).join('');
  if (shown === '' || sameAddress(text, shown)) return [...label];
  const href = safeHref(address);
  if (text === '') return [span(shown, 'link', href)];
  return [...label, span(' (', 'dim'), span(shown, 'dim', href), span(')', 'dim')];
}

function sameAddress(text: string, address: string): boolean {
  return text === address || `mailto:${text}` === address || `http://${text}` === address;
}

/** One style for what is nested: the stronger meaning outside wins, strong and emphasis add up. */
function within(outer: Style, inner: Style): Style {
  if (outer === 'heading' || outer === 'link') return outer;
  const isStrong = outer === 'strong' || outer === 'strong-emphasis';
  const isEmphasis = outer === 'emphasis' || outer === 'strong-emphasis';
  if ((isStrong && inner === 'emphasis') || (isEmphasis && inner === 'strong')) return 'strong-emphasis';
  if (outer === 'strong-emphasis' && inner !== 'strike') return outer;
  return inner;
}

const ENTITY = /&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|(amp|lt|gt|quot|apos|nbsp));/g;
const NAMED: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
};

/** Text with common character references decoded; one that names a hidden character stays as written. */
function plainText(text: string): string {
  if (!text.includes('&')) return sanitise(text);
  const decoded = text.replace(
    ENTITY,
    (match: string, decimal?: string, hex?: string, name?: string): string => {
      if (name !== undefined) return NAMED[name] ?? match;
      const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number.parseInt(decimal, 10);
      if (code > 0x10ffff) return match;
      const character = String.fromCodePoint(code);
      return sanitise(character) === character ? character : match;
    },
  );
  return sanitise(decoded);
}

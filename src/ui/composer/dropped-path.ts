/** The path that a terminal pastes when a file is dropped on its window: quoted, escaped, or as a `file:` address. Pure. */
import { fileURLToPath } from 'node:url';

const MAX_LENGTH = 4_096;

/** The path when the text is one absolute path and nothing else, or null. */
export function droppedPath(text: string): string | null {
  const trimmed = text.trim();
  if (trimmed === '' || trimmed.length > MAX_LENGTH || trimmed.includes('\n')) return null;
  const path = unquoted(trimmed);
  return path !== null && /^(\/|~\/)/.test(path) ? path : null;
}

/** A path as somebody writes it behind a command: quotes and escapes are taken off. */
export function writtenPath(text: string): string {
  return unquoted(text.trim()) ?? text.trim();
}

function unquoted(text: string): string | null {
  if (text.startsWith('file://')) return fromAddress(text);
  const quote = /^(['"])(.*)\1$/s.exec(text);
  if (quote !== null) return quote[2]?.includes(quote[1] ?? '') === true ? null : (quote[2] ?? null);
  // A blank that is not escaped ends a path: then it is text.
  if (/(?<!\\)\s/.test(text)) return null;
  return text.replaceAll(/\\(.)/gs, '$1');
}

function fromAddress(text: string): string | null {
  try {
    return fileURLToPath(text);
  } catch {
    return null;
  }
}

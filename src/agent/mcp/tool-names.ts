/**
 * Names under which models know the tools of servers: `mcp_<server>_<tool>`.
 * Invariants: every name fits all providers and is there once; it depends on the tool alone, unless two would collide.
 */
import { createHash } from 'node:crypto';

const MAX_CHARS = 64;
const HASH_CHARS = 8;

/** @param taken gets the name */
export function toolName(server: string, tool: string, taken: Set<string>): string {
  const whole = `mcp_${server}_${tool}`;
  const clean = whole.replace(/[^a-zA-Z0-9_-]/gu, '_');
  const isWhole = clean === whole && clean.length <= MAX_CHARS && !taken.has(clean);
  const name = isWhole ? clean : marked(clean, `${server}/${tool}`);
  taken.add(name);
  return name;
}

/** What was changed, cut or taken is told apart by a part of its hash. */
function marked(name: string, subject: string): string {
  const hash = createHash('sha256').update(subject).digest('hex').slice(0, HASH_CHARS);
  return `${name.slice(0, MAX_CHARS - HASH_CHARS - 1)}_${hash}`;
}

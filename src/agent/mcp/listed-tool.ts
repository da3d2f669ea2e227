/**
 * A tool as its server describes it, made fit for model providers. Invariants: nothing of it is believed; what no
 * provider would take is left out, because one bad tool makes a provider refuse the whole request.
 */
import { cutText } from '../tools/bounded.ts';

export interface ListedTool {
  /** The server's own name. */
  readonly name: string;
  readonly description: string;
  readonly parameters: Record<string, unknown>;
}

/** What `tools/list` gave. */
interface Described {
  readonly name: string;
  readonly description?: string | undefined;
  readonly inputSchema: object;
}

export const MAX_TOOLS = 100;
const MAX_DESCRIPTION_BYTES = 4 * 1024;
const MAX_SCHEMA_BYTES = 32 * 1024;
/** It stands in rules and in titles. */
const GOOD_NAME = /^[^\s\p{C}]{1,128}$/u;
/** Providers want an object, and refuse alternatives at the top. */
const TOP_LEVEL = ['properties', 'required', 'additionalProperties', '$defs', 'definitions'];

/** Null when no model can be offered it. */
export function listedTool({ description, inputSchema, name }: Described): ListedTool | null {
  if (!GOOD_NAME.test(name) || !name.isWellFormed()) return null;
  const kept = Object.entries(inputSchema).filter(([key]) => TOP_LEVEL.includes(key));
  const parameters = { type: 'object', properties: {}, ...Object.fromEntries(kept) };
  if (Buffer.byteLength(JSON.stringify(parameters)) > MAX_SCHEMA_BYTES) return null;
  const clean = (description ?? '').toWellFormed().replace(/[^\P{C}\n\t]/gu, '');
  return { name, description: cutText(clean, MAX_DESCRIPTION_BYTES), parameters };
}

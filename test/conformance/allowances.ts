/**
 * Values that may differ between two services that both keep to the protocol, and what is left of them in the
 * comparison. Everything else must be equal. One entry for each: the reason, then what remains.
 */
import type { Json } from '../../src/wire/json.ts';
import { type JsonObject, objectOf } from '../support/traces.ts';
import { PROVIDER } from './services.ts';
import { isArray } from './values.ts';

const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

const count = (value: Json): Json => (typeof value === 'number' && value >= 0 ? '<count>' : value);

/** By the name of a member, wherever it stands. */
export const ALLOWANCES: Readonly<Record<string, (value: Json) => Json>> = {
  // A service may have any name; only its protocol is compared.
  server_name: (value) => (typeof value === 'string' ? '<name>' : value),
  // A title is optional, and each service finds its own.
  title: (value) => (typeof value === 'string' ? null : value),
  // Clocks run. The form is the protocol's.
  updated_at: (value) => (typeof value === 'string' && RFC_3339.test(value) ? '<time>' : value),
  // Each agent has its own prompt and its own way of counting.
  current_tokens: count,
  max_tokens: count,
  effective_input: count,
  cache_read: count,
  output: count,
  // How far a slow model had come when it was stopped or looked at depends on timing.
  assistant_text: (value) => counted(value),
  text: (value) => counted(value),
  // Activity is best effort, so how much of it found no listener differs from run to run.
  activity_dropped: count,
  // Each client of an OAuth issuer sends parameters of its own; where to is the protocol's.
  url: (value) => (typeof value === 'string' ? value.replace(/\?.*$/, '?<parameters>') : value),
  // Each service has its own built-in providers and models; those of the settings are compared.
  entries: (value) => ofTheSettings(value),
  providers: (value) => ofTheSettings(value),
  // Each service advertises its own agent's abilities; their names and types are compared.
  mcp_tool_activity: (value) => (typeof value === 'boolean' ? '<boolean>' : value),
  subagents: (value) => (typeof value === 'boolean' ? '<boolean>' : value),
};

function ofTheSettings(value: Json): Json {
  if (!isArray(value)) return value;
  return value.filter((entry) => memberOf(entry, 'provider_id') === PROVIDER);
}

function memberOf(value: Json, name: string): Json | undefined {
  return typeof value === 'object' && value !== null && !isArray(value) ? value[name] : undefined;
}

/**
 * Activity is best effort and may be missing: what an agent tells of its context and usage, when, and how often, is its
 * own affair. What it tells of a tool is compared. When a model that counts words says its next one, as seen from other
 * answers, is chance.
 */
export function isOwnAffair(record: JsonObject): boolean {
  const payload = record.payload ?? null;
  if (record.event === DELTA) return isCounting(memberOf(payload, 'text') ?? null);
  if (record.event !== 'turn.activity') return false;
  const kind = memberOf(memberOf(payload, 'activity') ?? null, 'kind');
  return kind === 'context' || kind === 'usage';
}

const DELTA = 'turn.assistant_delta';

/** Numbered words, from the first or a later one: how far a model has come when something else happens is chance. */
function isCounting(value: Json): boolean {
  return typeof value === 'string' && /^(w\d{3} )+$/.test(value);
}

function counted(value: Json): Json {
  return isCounting(value) ? '<words>' : value;
}

/** Where a text is cut into deltas means nothing: neighbours are one. */
export function joinDeltas(records: readonly JsonObject[]): JsonObject[] {
  const joined: JsonObject[] = [];
  for (const record of records) {
    const last = joined.at(-1);
    if (record.event === DELTA && last?.event === DELTA) joined[joined.length - 1] = join(last, record);
    else joined.push(record);
  }
  return joined;
}

function join(first: JsonObject, second: JsonObject): JsonObject {
  const texts = [first, second].map(({ payload = null }) => memberOf(payload, 'text'));
  return { ...first, payload: { ...objectOf(first.payload), text: texts.join('') } };
}

/**
 * Session envelopes: the one transcript model (PROTOCOL.md, "Session envelopes").
 * 14 event types, discriminated by `ev.t`; unknown ones are kept verbatim and never break a transcript.
 */
import { createId } from '@paralleldrive/cuid2';
import * as z from 'zod';

const cuid = z.string().regex(/^[a-z][0-9a-z]{1,31}$/, 'not a cuid2');
const count = z.int().nonnegative();
const args = z.record(z.string(), z.unknown());

const text = z.object({
  t: z.literal('text'),
  text: z.string(),
  thinking: z.boolean().optional(),
  steer: z.boolean().optional(),
});
const file = z.object({
  t: z.literal('file'),
  ref: z.string(),
  name: z.string(),
  size: count,
  image: z.object({ width: count, height: count, thumbhash: z.string() }).optional(),
});
const turnStart = z.object({ t: z.literal('turn-start') });
const turnEnd = z.object({
  t: z.literal('turn-end'),
  status: z.enum(['completed', 'failed', 'cancelled']),
  usage: z
    .object({
      inputTokens: count,
      outputTokens: count,
      cost: z.number().nonnegative(),
      cacheReadTokens: count.optional(),
    })
    .optional(),
  error: z.object({ code: z.string(), message: z.string() }).optional(),
});
const toolCallStart = z.object({
  t: z.literal('tool-call-start'),
  call: z.string(),
  name: z.string(),
  title: z.string(),
  description: z.string(),
  args,
});
export const toolStatus = z.enum(['ok', 'error', 'denied', 'cancelled']);
export type ToolStatus = z.infer<typeof toolStatus>;
const toolCallEnd = z.object({
  t: z.literal('tool-call-end'),
  call: z.string(),
  status: toolStatus.optional(),
  output: z.string().optional(),
  outputBytes: count.optional(),
  durationMs: count.optional(),
  exitCode: z.int().optional(),
  diff: z.string().optional(),
  approvedBy: z.string().optional(),
  /** A fixed sentence for people when the tool was not allowed to run. */
  notice: z.string().optional(),
});
const service = z.object({
  t: z.literal('service'),
  text: z.string(),
  kind: z.enum(['compaction', 'reconnect', 'error', 'notice']).optional(),
  summary: z.string().optional(),
  /** The name that the session was given. */
  title: z.string().optional(),
  /** Whether the session was put into the archive, or taken back. */
  archived: z.boolean().optional(),
});
const subagentStart = z.object({
  t: z.literal('subagent-start'),
  agentId: z.string(),
  title: z.string().optional(),
});
const subagentStop = z.object({ t: z.literal('subagent-stop'), agentId: z.string() });
const controlChanged = z.object({
  t: z.literal('session-control-changed'),
  clientType: z.enum(['cli', 'phone', 'browser', 'daemon']),
  tokenId: z.string().optional(),
});
const permissionRequest = z.object({
  t: z.literal('permission-request'),
  call: z.string(),
  toolName: z.string(),
  title: z.string(),
  description: z.string(),
  args,
});
const permissionResponse = z.object({
  t: z.literal('permission-response'),
  call: z.string(),
  decision: z.enum(['allow-once', 'allow-always', 'deny']),
});
const abort = z.object({ t: z.literal('abort') });
const configurationChanged = z.object({
  t: z.literal('agent-configuration-changed'),
  permissionMode: z.enum(['default', 'acceptEdits', 'bypassPermissions', 'plan']).optional(),
  model: z.string().optional(),
  /** Whose model it is. */
  provider: z.string().optional(),
  thinkingLevel: z.string().optional(),
  sandbox: z.boolean().optional(),
});

export const sessionEvent = z.discriminatedUnion('t', [
  text,
  file,
  turnStart,
  turnEnd,
  toolCallStart,
  toolCallEnd,
  service,
  subagentStart,
  subagentStop,
  controlChanged,
  permissionRequest,
  permissionResponse,
  abort,
  configurationChanged,
]);
export type SessionEvent = z.infer<typeof sessionEvent>;

const USER_ONLY: readonly string[] = ['abort', 'permission-response'];
const EITHER: readonly string[] = ['text', 'file', 'session-control-changed', 'agent-configuration-changed'];
/** Agent events that may stand outside a turn. */
const TURNLESS: readonly string[] = ['service', 'session-control-changed', 'agent-configuration-changed'];

const head = {
  id: cuid,
  /** Unix time, ms. */
  time: count,
  role: z.enum(['user', 'agent']),
  turn: cuid.optional(),
  subagent: z.string().optional(),
};

export const envelope = z.object({ ...head, ev: sessionEvent }).superRefine((value, context) => {
  const { role, ev } = value;
  const userOnly = USER_ONLY.includes(ev.t);
  if (!EITHER.includes(ev.t) && userOnly !== (role === 'user'))
    context.addIssue({ code: 'custom', message: `${ev.t} cannot come from ${role}` });
  if (ev.t === 'text' && ev.thinking !== undefined && role !== 'agent')
    context.addIssue({ code: 'custom', message: 'only the agent thinks' });
  if (ev.t === 'text' && ev.steer !== undefined && role !== 'user')
    context.addIssue({ code: 'custom', message: 'only the user steers' });
  if (role === 'agent' && value.turn === undefined && !TURNLESS.includes(ev.t))
    context.addIssue({ code: 'custom', message: `${ev.t} needs a turn` });
});
export type Envelope = z.infer<typeof envelope>;

/** An envelope whose event type this version does not know: kept as it came. */
export const unknownEnvelope = z.looseObject({ ...head, ev: z.looseObject({ t: z.string() }) });
export type UnknownEnvelope = z.infer<typeof unknownEnvelope>;

export type AnyEnvelope = Envelope | UnknownEnvelope;

/** An envelope that came from outside; null when it is none. */
export function readEnvelope(value: unknown): AnyEnvelope | null {
  const known = envelope.safeParse(value);
  if (known.success) return known.data;
  const unknown = unknownEnvelope.safeParse(value);
  return unknown.success && !isKnownType(unknown.data.ev.t) ? unknown.data : null;
}

const KNOWN_TYPES: ReadonlySet<string> = new Set(sessionEvent.options.map((option) => option.shape.t.value));

/** Whether this version knows the type: parsing has made sure of the rest. */
export function isKnown(value: AnyEnvelope): value is Envelope {
  return isKnownType(value.ev.t);
}

/** The last name that envelopes give their session; null when they give none. */
export function titleIn(envelopes: readonly AnyEnvelope[]): string | null {
  const named = envelopes.findLast((value) => titleOf(value) !== null);
  return named === undefined ? null : titleOf(named);
}

function titleOf(value: AnyEnvelope): string | null {
  return isKnown(value) && value.ev.t === 'service' ? (value.ev.title ?? null) : null;
}

function isKnownType(type: string): boolean {
  return KNOWN_TYPES.has(type);
}

/** A fresh envelope ID (cuid2). */
export function envelopeId(): string {
  return createId();
}

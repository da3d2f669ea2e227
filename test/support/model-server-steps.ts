/** What a scripted model server sends, one step after the other. */
export type ModelStep =
  /** Streams text in chunks. */
  | { readonly text: string; readonly delayMs?: number }
  | { readonly thinking: string; readonly delayMs?: number }
  | { readonly toolCall: string; readonly args: Record<string, unknown> }
  /** Answers with this HTTP status; only as the first step. */
  | { readonly error: number; readonly headers?: Record<string, string> }
  /** Destroys the connection. */
  | { readonly reset: true }
  /** Sends nothing more and keeps the connection open. */
  | { readonly stall: true }
  /** Bytes as they are. */
  | { readonly raw: string };

export type ModelApi = 'anthropic-messages' | 'openai-completions';

/** A request as a script sees it, the same for both APIs. */
export interface ScriptRequest {
  readonly api: ModelApi;
  readonly model: string;
  /** Everything in the conversation, oldest first, with tool calls as `name {json}`. */
  readonly messages: readonly { readonly role: string; readonly text: string }[];
  /** The last thing that the user said; empty when there is none. */
  readonly lastUser: string;
  /** Outputs of the tools since then, oldest first. */
  readonly toolResults: readonly string[];
  /** How often exactly this request came before. */
  readonly attempt: number;
}

export type ModelScript = (request: ScriptRequest) => readonly ModelStep[];

/** Writes one API's stream. */
export interface StreamEncoder {
  start(): string;
  text(delta: string): string;
  thinking(delta: string): string;
  toolCall(name: string, args: Record<string, unknown>): string;
  finish(): string;
}

/** Token counts for the usage report, from character counts. */
export function tokensOf(chars: number): number {
  return Math.ceil(chars / 4);
}

/** One server-sent event; unnamed when `event` is null. */
export function sse(event: string | null, data: unknown): string {
  const name = event === null ? '' : `event: ${event}\n`;
  return `${name}data: ${JSON.stringify(data)}\n\n`;
}

/** Checks for the checked boundary between parsed JSON and a script. */
export function recordOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}

/** The elements of an array as records; empty for anything else. */
export function recordsOf(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.map(recordOf) : [];
}

/** Text of a message's content: a string, or blocks of which the text counts. */
export function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  return recordsOf(content)
    .map((block) => (typeof block.text === 'string' ? block.text : ''))
    .join('');
}

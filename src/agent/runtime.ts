/**
 * The agent behind a small interface: start a turn, read its events, abort it.
 * The service knows only this file; model SDKs and tools stay inside the room.
 */

/** How a tool call ended. `denied` means that it never ran. */
export type ToolStatus = 'ok' | 'error' | 'denied' | 'cancelled';

/** Earlier conversation, oldest first, as the model should see it again. */
export type HistoryItem =
  | { readonly kind: 'user'; readonly text: string }
  | { readonly kind: 'assistant'; readonly text: string }
  | {
      readonly kind: 'tool';
      readonly call: string;
      readonly name: string;
      readonly args: Record<string, unknown>;
      readonly output: string;
      readonly status: ToolStatus;
    };

export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  /** US dollars; 0 when the price is unknown. */
  readonly cost: number;
}

export type AgentEvent =
  /** A new model request begins; `index` counts from 0 within the turn. */
  | { readonly type: 'request'; readonly index: number }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'thinking'; readonly text: string }
  | {
      readonly type: 'tool-start';
      readonly call: string;
      readonly name: string;
      /** One line for people, for example `npm test` or `src/a.ts`. */
      readonly title: string;
      readonly args: Record<string, unknown>;
    }
  | {
      readonly type: 'tool-end';
      readonly call: string;
      readonly status: ToolStatus;
      /** Bounded text that the model was given. */
      readonly output: string;
      /** Size of the whole output before bounding, in bytes. */
      readonly outputBytes: number;
      readonly durationMs: number;
      readonly timedOut: boolean;
      /** Unified diff of a changed file. */
      readonly diff?: string;
      readonly exitCode?: number;
      /** A fixed sentence for people when the tool was not allowed to run. Holds no arguments. */
      readonly notice?: string;
    }
  /** Tokens of one model request and how full the window is (tokens; `window` null when unknown). */
  | {
      readonly type: 'usage';
      readonly usage: Usage;
      readonly contextTokens: number;
      readonly window: number | null;
    }
  /** Always the last event, exactly once. `message` is for the log only: it may quote a provider. */
  | { readonly type: 'end'; readonly status: 'completed' | 'cancelled' }
  | {
      readonly type: 'end';
      readonly status: 'failed';
      readonly message: string;
      /** What happened and what to do, for people. Fixed words: never quotes a provider. */
      readonly notice?: string;
    };

/** What a tool may do beyond reading and writing inside the workspace. */
export interface ToolPolicy {
  /** The bash tool may run. */
  readonly bash: boolean;
  /** The file tools (read, list, find, grep, write, edit) may touch paths outside the workspace. */
  readonly writeOutside: boolean;
}

export interface TurnRequest {
  readonly provider: ProviderSpec;
  readonly modelId: string;
  readonly thinkingLevel: string;
  readonly workspace: string;
  readonly policy: ToolPolicy;
  readonly history: readonly HistoryItem[];
  readonly prompt: string;
}

export interface AgentTurn {
  readonly events: AsyncIterable<AgentEvent>;
  /** Stops the model request and every running tool; the `end` event still follows. */
  abort(): void;
}

export interface ModelInfo {
  readonly id: string;
  readonly label: string;
  /** Tokens, null when unknown. */
  readonly contextWindow: number | null;
  readonly maxOutputTokens: number | null;
  readonly thinkingLevels: readonly string[];
}

/** How to reach a provider. Keys are read by the caller and live in memory only. */
export type ProviderSpec =
  | { readonly api: 'demo'; readonly id: string; readonly label: string }
  | {
      readonly api: 'anthropic-messages' | 'openai-completions';
      readonly id: string;
      readonly label: string;
      /** Null means the vendor's own address. */
      readonly baseUrl: string | null;
      /** Null for servers without authentication. */
      readonly apiKey: string | null;
    };

export interface AgentRuntime {
  startTurn(request: TurnRequest): AgentTurn;
  /** Models that the provider offers, from built-in data or the provider's models endpoint. Rejects when unreachable. */
  listModels(provider: ProviderSpec, signal: AbortSignal): Promise<readonly ModelInfo[]>;
}

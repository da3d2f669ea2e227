/**
 * The agent behind a small interface: start a turn, read its events, abort it.
 * The service knows only this file; model SDKs and tools stay inside the room.
 */

/** How a tool call ended. `denied` means that it never ran. */
export type ToolStatus = 'ok' | 'error' | 'denied' | 'cancelled';

/** An image that the user attached; the text beside it names it, and where it can be read. */
export interface AttachedImage {
  readonly name: string;
  /** Absolute path of a copy that does not change. */
  readonly path: string;
}

/** Earlier conversation, oldest first, as the model should see it again. */
export type HistoryItem =
  /** Stands for everything before it; only as the first one. */
  | { readonly kind: 'summary'; readonly text: string }
  | { readonly kind: 'user'; readonly text: string; readonly images?: readonly AttachedImage[] }
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
  /** A new model request begins; `index` counts from 0 within the turn. Requests of subagents are not told. */
  | { readonly type: 'request'; readonly index: number }
  | { readonly type: 'text'; readonly text: string; readonly subagent?: string }
  | { readonly type: 'thinking'; readonly text: string; readonly subagent?: string }
  | {
      readonly type: 'tool-start';
      readonly call: string;
      readonly name: string;
      /** One line for people, for example `npm test` or `src/a.ts`. */
      readonly title: string;
      readonly args: Record<string, unknown>;
      /** Name of the MCP server whose tool it is. */
      readonly server?: string;
      readonly subagent?: string;
    }
  | {
      readonly type: 'tool-end';
      readonly call: string;
      readonly status: ToolStatus;
      /** Bounded text that the model was given. */
      readonly output: string;
      /** Size of the whole output before bounding, in bytes. */
      readonly outputBytes: number;
      /** Without the time that a question waited for its answer. */
      readonly durationMs: number;
      readonly timedOut: boolean;
      /** Unified diff of changed files. */
      readonly diff?: string;
      readonly exitCode?: number;
      /** A fixed sentence for people when the tool was not allowed to run. Holds no arguments. */
      readonly notice?: string;
      /** Something was asked for, and allowed without a person. */
      readonly approvedBy?: 'rule' | 'mode';
      readonly subagent?: string;
    }
  /** Tokens of one model request and how full the window is (tokens; `window` null when unknown). */
  | {
      readonly type: 'usage';
      readonly usage: Usage;
      readonly contextTokens: number;
      readonly window: number | null;
      readonly subagent?: string;
      /** Spent on a summary of earlier conversation: it says nothing about the turn's own window. */
      readonly compaction?: true;
    }
  /**
   * Earlier conversation that fills the window becomes a summary, before any request of the turn. `before` and
   * `after` are what that request takes, in tokens, roughly. A failed one leaves the oldest out.
   */
  | {
      readonly type: 'compaction';
      readonly status: 'running' | 'failed' | 'cancelled';
      readonly before: number;
      /** Null as long as it is not known. */
      readonly after: number | null;
    }
  | {
      readonly type: 'compaction';
      readonly status: 'completed';
      readonly before: number;
      readonly after: number;
      /** Stands in for everything before it from now on, but for what the user said in this turn. At most 12,000 bytes. */
      readonly summary: string;
    }
  /** Something that people should know and the turn goes on after. Fixed words: never quotes a server. */
  | { readonly type: 'notice'; readonly text: string }
  /** What was said with `steer` goes to the model with its next request. */
  | { readonly type: 'steer-taken'; readonly text: string }
  /** Another agent begins on behalf of the tool call `call`; its events carry `subagent: agentId`. */
  | {
      readonly type: 'subagent-start';
      readonly agentId: string;
      readonly call: string;
      readonly title: string;
    }
  | {
      readonly type: 'subagent-stop';
      readonly agentId: string;
      readonly status: 'completed' | 'failed' | 'cancelled';
    }
  /** Always the last event, exactly once. `message` is for the log only: it may quote a provider. */
  | { readonly type: 'end'; readonly status: 'completed' | 'cancelled' }
  | {
      readonly type: 'end';
      readonly status: 'failed';
      readonly message: string;
      /** What happened and what to do, for people. Fixed words: never quotes a provider. */
      readonly notice?: string;
      /** The credential that was signed in for is no longer taken. */
      readonly refused?: true;
    };

/** Something a tool is about to do beyond reading inside the workspace. */
export interface PermissionAsk {
  /** The tool call it belongs to. */
  readonly call: string;
  readonly toolName: string;
  /** `write` is a change inside the workspace. A change to what `.git` holds is asked as `bash`: it is as good as that. */
  readonly kind: 'bash' | 'read-outside' | 'write-outside' | 'write' | 'mcp';
  /** What rules are matched against: the command (`write <path>` for `.git`); the real absolute path; the MCP tool's name. */
  readonly subject: string;
  /** One line for people. */
  readonly title: string;
  readonly args: Record<string, unknown>;
  /** Unified diff of what an edit would change. */
  readonly diff?: string;
}

export type PermissionAnswer =
  | { readonly allowed: true; readonly by: 'mode' | 'rule' | 'user' }
  /** `output` tells the model, `notice` the people; both are fixed words. */
  | { readonly allowed: false; readonly output: string; readonly notice: string };

/** Answers a question. Once the signal is aborted nobody waits for the answer any more. */
export type Permit = (ask: PermissionAsk, signal: AbortSignal) => Promise<PermissionAnswer>;

/** Takes the whole output of a tool call while it is produced. Never throws. */
export interface OutputKeeper {
  add(chunk: Buffer): void;
  /** Nothing is added any more. */
  close(): void;
}

export interface TurnRequest {
  readonly provider: ProviderSpec;
  readonly modelId: string;
  readonly thinkingLevel: string;
  /** Answers sooner and costs more, where the vendor offers that. */
  readonly fast?: boolean;
  readonly workspace: string;
  /** Asked before every command, every change of a file, and everything outside of the workspace. */
  readonly permit: Permit;
  /** Commands run confined, or not at all. */
  readonly sandbox: boolean;
  /** Where the whole output of a tool call goes that is more than the model is given. */
  readonly keepOutput?: (call: string) => OutputKeeper;
  /** What the model is told about its rights: one or more lines that start with `- `. */
  readonly rights?: string;
  readonly history: readonly HistoryItem[];
  readonly prompt: string;
  /** Shown with the prompt when the model can see. */
  readonly images?: readonly AttachedImage[];
}

export interface AgentTurn {
  readonly events: AsyncIterable<AgentEvent>;
  /** Stops the model request and every running tool; the `end` event still follows. */
  abort(): void;
  /**
   * Says something to the model while it works; `steer-taken` follows when it gets it. False once the turn can
   * take no more. A turn that fails or is stopped may end without having taken it.
   */
  steer(text: string): boolean;
}

export interface ModelInfo {
  readonly id: string;
  readonly label: string;
  /** Tokens, null when unknown. */
  readonly contextWindow: number | null;
  readonly maxOutputTokens: number | null;
  readonly thinkingLevels: readonly string[];
  /** The server says that it can see. */
  readonly images?: true;
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
    }
  /** Signed in to. */
  | {
      readonly api: 'openai-codex-responses';
      readonly id: string;
      readonly label: string;
      /** Null means the vendor's own address; anything else must be on this machine. */
      readonly baseUrl: string | null;
      /** For a turn; as words for people when there is none that can be used. */
      readonly credential: Readonly<{ access: string; accountId: string }> | string;
    };

export interface AgentRuntime {
  startTurn(request: TurnRequest): AgentTurn;
  /** Models that the provider offers, from built-in data or the provider's models endpoint. Rejects when unreachable. */
  listModels(provider: ProviderSpec, signal: AbortSignal): Promise<readonly ModelInfo[]>;
}

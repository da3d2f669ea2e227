import type { MoreTools } from './tools/toolbox.ts';

/** What the creator of the runtime may set. Tests shorten the times. */
export interface AgentRuntimeOptions {
  /** Environment of the bash tool. The process's own by default. */
  readonly env?: NodeJS.ProcessEnv;
  /** One line about a retry or a fault, for the log file only: it may quote a provider. */
  readonly log?: (line: string) => void;
  readonly timing?: Partial<AgentTiming>;
  /** Further tools, for example those of MCP servers; asked for at the start of every turn. */
  readonly moreTools?: MoreTools;
}

/** All in milliseconds. */
export interface AgentTiming {
  /** Longest wait for the first byte of a response: a local model may read a long prompt for minutes. */
  readonly firstByteMs: number;
  /** Longest silence within a response. */
  readonly idleMs: number;
  /** Waits before the second, third, … attempt of a request; their number is the number of retries. */
  readonly retryDelaysMs: readonly number[];
  /** Pause between two pieces of the demo model's answer. */
  readonly demoChunkMs: number;
}

/** The times for real use. */
export const DEFAULT_TIMING: AgentTiming = {
  firstByteMs: 300_000,
  idleMs: 120_000,
  retryDelaysMs: [500, 1500, 4000],
  demoChunkMs: 15,
};

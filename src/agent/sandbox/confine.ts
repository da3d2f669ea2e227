/** How to run one confined command. */
export interface ConfinedCommand {
  readonly program: string;
  readonly args: readonly string[];
  /** On top of the usual environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Removes what was made for the command. */
  release(): void;
}

/** @param script what the shell runs */
export type Confine = (shell: string, script: string) => ConfinedCommand;

/** What a sandbox depends on. */
export interface SandboxPlace {
  /** Absolute path. */
  readonly workspace: string;
  readonly env: NodeJS.ProcessEnv;
  readonly platform: NodeJS.Platform;
}

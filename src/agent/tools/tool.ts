import * as z from 'zod';
import type { ImageData } from '../image-file.ts';
import type { OutputKeeper, PermissionAsk, Permit, ToolStatus } from '../runtime.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';

/** What all tool calls of a turn have in common. */
export interface ToolSetting {
  /** Absolute path of the workspace folder. */
  readonly workspace: string;
  readonly permit: Permit;
  /** Finds what confines commands; null when they need not be confined. */
  readonly sandbox: (() => Sandbox) | null;
  /** Aborted when the turn is cancelled. */
  readonly signal: AbortSignal;
  /** Environment of child processes. */
  readonly env: NodeJS.ProcessEnv;
  /** Where the whole output of a call goes; absent when nobody keeps it. */
  readonly keepOutput?: (call: string) => OutputKeeper;
  /** Whether the model takes images. */
  readonly seesImages: boolean;
}

/** A question of a running call; the executor adds the rest. */
export type Question = Pick<PermissionAsk, 'kind' | 'subject' | 'title' | 'diff'>;

/** Everything that a running call may know. */
export interface ToolContext extends Omit<ToolSetting, 'permit'> {
  /** Id of the call, as in its events. */
  readonly call: string;
  /** Null when it is allowed, otherwise what the call must end with. Rejects once the turn is cancelled. */
  ask(question: Question): Promise<ToolOutput | null>;
}

/** What a tool gives back. */
export interface ToolOutput {
  readonly status: ToolStatus;
  /** Bounded text for the model. */
  readonly output: string;
  /** Bytes before bounding; absent when nothing was cut. */
  readonly outputBytes?: number;
  readonly diff?: string;
  readonly exitCode?: number;
  readonly timedOut?: boolean;
  readonly notice?: string;
  /** What the model sees beside the text; only when it takes images. */
  readonly image?: ImageData;
}

/** A tool whose arguments are still unchecked. Ours are made by `defineTool`. */
export interface Tool {
  readonly name: string;
  /** Name of the MCP server that it belongs to. */
  readonly server?: string;
  /** For the model. */
  readonly description: string;
  /** JSON Schema of the arguments. */
  readonly parameters: Record<string, unknown>;
  /** One line for people; the tool's name when the arguments do not fit. */
  title(args: unknown, workspace: string): string;
  /** May reject; the executor turns that into an error result. */
  run(args: unknown, context: ToolContext): Promise<ToolOutput>;
}

interface ToolDefinition<Args> {
  readonly name: string;
  readonly description: string;
  readonly schema: z.ZodType<Args>;
  readonly title: (args: Args, workspace: string) => string;
  readonly run: (args: Args, context: ToolContext) => Promise<ToolOutput>;
}

/** Arguments that do not fit the tool's schema. The message is for the model. */
export class ToolArgumentsError extends Error {}

/** Makes a tool from a zod schema: arguments are checked before `run` and `title` see them. */
export function defineTool<Args>(definition: ToolDefinition<Args>): Tool {
  const { $schema: _schema, ...parameters } = z.toJSONSchema(definition.schema, { io: 'input' });
  return {
    name: definition.name,
    description: definition.description,
    parameters,
    title(args, workspace) {
      const parsed = definition.schema.safeParse(args);
      return parsed.success ? oneLine(definition.title(parsed.data, workspace)) : definition.name;
    },
    async run(args, context) {
      const parsed = definition.schema.safeParse(args);
      if (!parsed.success) {
        throw new ToolArgumentsError(
          `Wrong arguments for ${definition.name}: ${z.prettifyError(parsed.error)}`,
        );
      }
      return definition.run(parsed.data, context);
    },
  };
}

const TITLE_CHARS = 200;

/** A text as one line of at most 200 characters. */
export function oneLine(text: string): string {
  const line = text.replace(/\s+/gu, ' ').trim();
  return line.length > TITLE_CHARS ? `${line.slice(0, TITLE_CHARS - 1).toWellFormed()}…` : line;
}

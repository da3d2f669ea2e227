import { z } from 'zod';
import type { ToolPolicy, ToolStatus } from '../runtime.ts';

/** Everything a tool may know about the turn it runs in. */
export interface ToolContext {
  /** Absolute path of the workspace folder. */
  readonly workspace: string;
  readonly policy: ToolPolicy;
  /** Aborted when the turn is cancelled. */
  readonly signal: AbortSignal;
  /** Environment of child processes. */
  readonly env: NodeJS.ProcessEnv;
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
}

/** A tool whose arguments are still unchecked. Made by `defineTool` only. */
export interface Tool {
  readonly name: string;
  /** For the model. */
  readonly description: string;
  /** JSON Schema of the arguments. */
  readonly parameters: Record<string, unknown>;
  /** One line for people; the tool's name when the arguments do not fit. */
  title(args: unknown, context: ToolContext): string;
  /** May reject; the executor turns that into an error result. */
  run(args: unknown, context: ToolContext): Promise<ToolOutput>;
}

interface ToolDefinition<Args> {
  readonly name: string;
  readonly description: string;
  readonly schema: z.ZodType<Args>;
  readonly title: (args: Args, context: ToolContext) => string;
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
    title(args, context) {
      const parsed = definition.schema.safeParse(args);
      return parsed.success ? oneLine(definition.title(parsed.data, context)) : definition.name;
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

function oneLine(text: string): string {
  const line = text.replace(/\s+/gu, ' ').trim();
  return line.length > TITLE_CHARS ? `${line.slice(0, TITLE_CHARS - 1).toWellFormed()}…` : line;
}

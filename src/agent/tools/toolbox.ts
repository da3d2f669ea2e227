import { TASK } from '../subagents.ts';
import { messageOf, type TurnIo } from '../turn.ts';
import { TOOLS } from './all.ts';
import type { Tool } from './tool.ts';

/** Gives tools from elsewhere, for example those of MCP servers; `tell` says to people what is missing. */
export type MoreTools = (
  workspace: string,
  signal: AbortSignal,
  tell: (notice: string) => void,
) => Promise<readonly Tool[]>;

export interface ToolboxOptions {
  readonly moreTools: MoreTools;
  readonly log: (line: string) => void;
}

/** What every provider takes; one bad name would make it refuse the whole request. */
const GOOD_NAME = /^[a-zA-Z0-9_-]{1,64}$/u;
const MAX_MORE = 200;

/** The tools of a turn's agents: the built-in ones, then those from elsewhere. Never rejects. */
export async function toolsFor(
  workspace: string,
  { emit, signal }: Pick<TurnIo, 'emit' | 'signal'>,
  { log, moreTools }: ToolboxOptions,
): Promise<readonly Tool[]> {
  const tools = [...TOOLS];
  const names = new Set([...TOOLS.map(({ name }) => name), TASK]);
  try {
    for (const tool of await moreTools(workspace, signal, (text) => emit({ type: 'notice', text }))) {
      if (!GOOD_NAME.test(tool.name) || names.has(tool.name) || tools.length - TOOLS.length >= MAX_MORE) {
        log(`tool left out: ${JSON.stringify(tool.name.slice(0, 100))}`);
        continue;
      }
      names.add(tool.name);
      tools.push(tool);
    }
  } catch (error) {
    log(`further tools are not there: ${messageOf(error)}`);
  }
  return tools;
}

import type { AgentTool } from '@earendil-works/pi-agent-core';
import { createLane } from '../lane.ts';
import { TASK } from '../subagents.ts';
import type { Tool } from '../tools/tool.ts';
import type { TurnReporter } from '../turn-reporter.ts';
import { imageContent } from './images.ts';

/** Marks the result of a call that was really run, so that it was reported. */
export const RAN = 'ran';

/**
 * Our tools for the SDK's loop, which starts all calls of a reply at once. The lane puts them in order: tasks
 * overlap, everything else runs alone.
 */
export function sdkTools(tools: readonly Tool[], reporter: TurnReporter): AgentTool[] {
  const lane = createLane();
  return tools.map((tool) => ({
    name: tool.name,
    label: tool.name,
    description: tool.description,
    parameters: tool.parameters,
    async execute(_id, args) {
      const run = () => reporter.runTool(tool, args);
      const result = await (tool.name === TASK ? lane.together(run) : lane.alone(run));
      return {
        content: [
          { type: 'text', text: result.output },
          ...(result.image === undefined ? [] : [imageContent(result.image)]),
        ],
        details: RAN,
        isError: result.status !== 'ok',
      };
    },
  }));
}

import { createId } from '@paralleldrive/cuid2';
import * as z from 'zod';
import { TurnFailure } from './failure.ts';
import { createSteerBox } from './steer-box.ts';
import { createRetelling } from './subagent-events.ts';
import { createHeadTail } from './tools/bounded.ts';
import { defineTool, type Tool, type ToolOutput } from './tools/tool.ts';
import type { LiveEvent, TurnIo } from './turn.ts';

/**
 * Agents that work for the agent of a turn. Invariants: a subagent has its own conversation and cannot start
 * further ones; its events carry its id and never count as the turn's own text; the turn's abort ends it; only
 * its last reply, bounded, reaches the one that started it.
 */

/** Runs an agent on a prompt to its end; rejects when it failed. */
export type RunAgent = (prompt: string, io: TurnIo) => Promise<void>;

/** How many run at the same time; the others wait for their turn. */
const MAX_TOGETHER = 4;
/** In one turn. A model that wants more is likely to go round in circles. */
const MAX_TASKS = 50;
const RESULT_HEAD_BYTES = 16 * 1024;
/** Leaves room for the line that says what is missing: 24 KiB in all. */
const RESULT_TAIL_BYTES = 8 * 1024 - 64;

const schema = z.object({
  title: z.string().min(1).max(200).describe('A few words for people'),
  prompt: z.string().min(1).describe('Everything that the subagent must know: it sees nothing else'),
});

export const TASK = 'task';

/** Makes the tool that starts subagents within one turn. */
export function createTaskTool(io: TurnIo, runAgent: RunAgent): Tool {
  const slots = createSlots(MAX_TOGETHER);
  let tasks = 0;
  return defineTool({
    name: TASK,
    description:
      'Give a self-contained piece of work to a subagent with a fresh conversation, the same folder and the same tools. You get its last reply. Several calls in one reply run at the same time, so give them work that does not touch the same files.',
    schema,
    title: ({ title }) => title,
    async run({ prompt, title }, { call, signal }) {
      tasks += 1;
      if (tasks > MAX_TASKS)
        return {
          status: 'error',
          output: `No more than ${MAX_TASKS} tasks in one turn. Do the rest yourself.`,
        };
      return slots(async () => {
        signal.throwIfAborted();
        const agentId = createId();
        io.emit({ type: 'subagent-start', agentId, call, title });
        const { output, status } = await work({ agentId, prompt, io, signal, runAgent });
        io.emit({ type: 'subagent-stop', agentId, status });
        return output;
      });
    },
  });
}

interface Job {
  readonly agentId: string;
  readonly prompt: string;
  readonly io: TurnIo;
  readonly signal: AbortSignal;
  readonly runAgent: RunAgent;
}

interface Outcome {
  readonly status: 'completed' | 'failed' | 'cancelled';
  readonly output: ToolOutput;
}

async function work({ agentId, io, prompt, runAgent, signal }: Job): Promise<Outcome> {
  let reply = createHeadTail(RESULT_HEAD_BYTES, RESULT_TAIL_BYTES);
  const told = createRetelling(agentId, io);
  const emit = (event: LiveEvent): void => {
    // The last reply is the result: what was said before a tool call is forgotten.
    if (event.type === 'request') reply = createHeadTail(RESULT_HEAD_BYTES, RESULT_TAIL_BYTES);
    if (event.type === 'text') reply.add(Buffer.from(event.text.toWellFormed()));
    told.add(event);
  };
  const closed = createSteerBox(() => undefined);
  closed.close();
  try {
    await runAgent(prompt, { emit, signal, steers: closed });
    if (signal.aborted) return CANCELLED;
    const text = reply.text().trim();
    const output = text === '' ? '[The subagent ended without an answer.]' : text;
    return { status: 'completed', output: { status: 'ok', output, outputBytes: reply.total } };
  } catch (error) {
    if (signal.aborted) return CANCELLED;
    const reason = error instanceof TurnFailure ? error.notice : 'Something went wrong.';
    const output = `The subagent failed. ${reason}\n\n${reply.text().trim()}`.trim();
    return { status: 'failed', output: { status: 'error', output } };
  } finally {
    told.flush();
  }
}

const CANCELLED: Outcome = {
  status: 'cancelled',
  output: { status: 'cancelled', output: 'Cancelled by the user.' },
};

/** Runs at most `count` pieces of work at a time, in the order in which they came. */
function createSlots(count: number): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let free = count;
  return async (work) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    }
  };
}

import type { AgentEvent } from './runtime.ts';

/** The writing end and the reading end of one turn's events. */
export interface EventQueue {
  /** Adds an event; ignored after an `end` event. Never throws. */
  push(event: AgentEvent): void;
  /** For one reader. Finishes after the `end` event. */
  readonly events: AsyncIterable<AgentEvent>;
}

export interface EventQueueOptions {
  /** Called once when the reader leaves before the `end` event. */
  readonly onAbandoned: () => void;
}

/**
 * Makes the queue between a running turn and its reader.
 * A slow reader costs memory for the text only: waiting deltas of one kind become few events.
 */
export function createEventQueue(options: EventQueueOptions): EventQueue {
  const waiting: AgentEvent[] = [];
  let wake: (() => void) | null = null;
  let ended = false;
  let abandoned = false;

  const push = (event: AgentEvent): void => {
    if (ended) return;
    ended = event.type === 'end';
    if (abandoned) return;
    const merged = merge(waiting.at(-1), event);
    if (merged === null) waiting.push(event);
    else waiting[waiting.length - 1] = merged;
    wake?.();
  };

  async function* read(): AsyncGenerator<AgentEvent> {
    let sawEnd = false;
    try {
      while (!sawEnd) {
        const event = waiting.shift();
        if (event === undefined) {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
          wake = null;
          continue;
        }
        sawEnd = event.type === 'end';
        yield event;
      }
    } finally {
      if (!sawEnd) {
        abandoned = true;
        waiting.length = 0;
        options.onAbandoned();
      }
    }
  }

  return { push, events: read() };
}

/** Longer deltas are not joined: the reader looks for room between two of them. In letters. */
const LONG = 8_192;

/** One delta for two neighbours of the same kind and agent, or null when they must stay apart. */
function merge(last: AgentEvent | undefined, next: AgentEvent): AgentEvent | null {
  if (last !== undefined && 'text' in last && last.text.length >= LONG) return null;
  if (last?.type === 'text' && next.type === 'text' && last.subagent === next.subagent)
    return { ...next, text: last.text + next.text };
  if (last?.type === 'thinking' && next.type === 'thinking' && last.subagent === next.subagent)
    return { ...next, text: last.text + next.text };
  return null;
}

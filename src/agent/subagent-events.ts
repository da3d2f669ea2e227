import type { LiveEvent, TurnIo } from './turn.ts';

/**
 * What a subagent does, told in the turn's events. Invariants: every event carries its id; its words come in
 * large pieces, because several subagents speak at once and nobody watches single words of them.
 */
export interface Retelling {
  add(event: LiveEvent): void;
  /** Tells what was said so far. */
  flush(): void;
}

const PIECE_CHARS = 1024;

type Words = Extract<LiveEvent, { type: 'text' | 'thinking' }>;

export function createRetelling(subagent: string, io: Pick<TurnIo, 'emit'>): Retelling {
  let said: Words | null = null;
  const flush = (): void => {
    if (said !== null) io.emit(said);
    said = null;
  };
  const say = ({ text, type }: Words): void => {
    if (said?.type !== type) flush();
    const piece: Words = { type, text: (said?.text ?? '') + text, subagent };
    said = piece;
    if (piece.text.length >= PIECE_CHARS) flush();
  };
  return {
    add(event) {
      switch (event.type) {
        case 'text':
        case 'thinking':
          say(event);
          return;
        case 'tool-start':
        case 'tool-end':
        case 'usage':
          flush();
          io.emit({ ...event, subagent });
          return;
        // Only a turn's own agent has these.
        case 'request':
        case 'compaction':
        case 'notice':
        case 'steer-taken':
        case 'subagent-start':
        case 'subagent-stop':
          return;
      }
    },
    flush,
  };
}

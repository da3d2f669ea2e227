/** What the model says, by what it is told: the same to both services. */
import { slowly, speaking, THOUGHT, whole } from '../interop/model.ts';
import type { ModelScript } from '../support/model-server.ts';
import type { Kind } from './services.ts';

export { PIECE_LETTERS } from '../interop/model.ts';

export const SLOWLY = 'speak slowly';
export const FAST = 'speak fast';
export const SHORT = 'speak for a second';

/** Prompts and answers. */
const SPEECHES: Readonly<Record<string, ModelScript>> = {
  [SLOWLY]: slowly,
  [FAST]: speaking(600, { burst: 5, delayMs: 10 }),
  [SHORT]: speaking(50, { burst: 1, delayMs: 20 }),
  'use a tool': ({ toolResults }) =>
    toolResults.length === 0
      ? [{ text: 'I will read the note first.' }, { toolCall: 'read', args: { path: 'note.txt' } }]
      : [{ text: 'It says: forty-two.' }],
  'use a tool that fails': ({ toolResults }) =>
    toolResults.length === 0
      ? [{ toolCall: 'read', args: { path: 'nothing.txt' } }]
      : [{ text: 'It is not there.' }],
  'run a command': ({ toolResults }) =>
    toolResults.length === 0
      ? [{ toolCall: 'bash', args: { command: 'true' } }]
      : [{ text: 'It did not run.' }],
  'use a tool of nobody': ({ toolResults }) =>
    toolResults.length === 0 ? [{ toolCall: 'levitate', args: {} }] : [{ text: 'I cannot.' }],
  'be refused': () => [{ error: 401 }],
  'say nothing': () => [],
  'say too much': () => [THOUGHT, whole('x'.repeat(17_000))],
  'say too much in pieces': () => [THOUGHT, ...Array.from({ length: 5 }, () => whole('x'.repeat(4_000)))],
  'say many quotes': () => [THOUGHT, whole('"'.repeat(10_000))],
  'say a lot': () => [{ text: Array.from({ length: 1_000 }, (_, index) => `line ${index};`).join(' ') }],
  'break off': () => [THOUGHT, { text: 'Half of ' }, { reset: true }],
  'say nothing for long': () => [{ stall: true }],
};

/** Only the real one holds a chat reply back until its end, unless thinking has ended before. */
export function scriptFor(kind: Kind): ModelScript {
  return (request) => {
    const steps = SPEECHES[request.lastUser]?.(request) ?? goOn(request.messages.map(({ text }) => text));
    return kind === 'real' ? steps : steps.filter((step) => step !== THOUGHT);
  };
}

/** To a prompt that means nothing here, among them that of an agent who asks a model to go on. */
function goOn(messages: readonly string[]): ReturnType<ModelScript> {
  return messages.some((text) => /^say (too much|many quotes)/.test(text)) ? [] : [{ text: 'Heard.' }];
}

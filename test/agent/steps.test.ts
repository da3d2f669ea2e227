import type { AssistantMessage, Message } from '@earendil-works/pi-ai';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { NO_USAGE } from '../../src/agent/provider/history.ts';
import { contextTokens, messagesTokens } from '../../src/agent/provider/message-size.ts';
import { answered, newestSteps } from '../../src/agent/provider/steps.ts';

/** One step of a turn: how long its answer and its results are, and what was said behind it. */
interface Shape {
  readonly answer: number;
  readonly results: readonly number[];
  readonly said: boolean;
}

const shape: fc.Arbitrary<Shape> = fc.record({
  answer: fc.integer({ min: 0, max: 200 }),
  results: fc.array(fc.integer({ min: 0, max: 2_000 }), { maxLength: 3 }),
  said: fc.boolean(),
});

function answer(text: string, calls: number, counted: number): AssistantMessage {
  return {
    role: 'assistant',
    content: [
      { type: 'text', text },
      // Providers count from 0 in every answer.
      ...Array.from({ length: calls }, (_, at) => {
        return { type: 'toolCall' as const, id: `call_${at}`, name: 'read', arguments: {} };
      }),
    ],
    api: 'openai-completions',
    provider: 'p',
    model: 'm',
    usage: { ...NO_USAGE, totalTokens: counted },
    stopReason: 'stop',
    timestamp: 0,
  };
}

function turnOf(shapes: readonly Shape[]): Message[] {
  const turn: Message[] = [{ role: 'user', content: 'said first;', timestamp: 0 }];
  shapes.forEach(({ answer: length, results, said }, step) => {
    turn.push(answer('a'.repeat(length), results.length, 999));
    results.forEach((size, at) => {
      turn.push({
        role: 'toolResult',
        toolCallId: `call_${at}`,
        toolName: 'read',
        content: [{ type: 'text', text: 'é'.repeat(size) }],
        isError: false,
        timestamp: 0,
      });
    });
    if (said) turn.push({ role: 'user', content: `said in ${step};`, timestamp: 0 });
  });
  return turn;
}

const wordsOf = (messages: readonly Message[]): string =>
  messages
    .filter(({ role }) => role === 'user')
    .map(({ content }) => (typeof content === 'string' ? content : JSON.stringify(content)))
    .join('');

test('whatever is left out, calls keep their results and the user their words', () => {
  fc.assert(
    fc.property(fc.array(shape, { maxLength: 8 }), fc.integer({ min: 100, max: 3_000 }), (shapes, tokens) => {
      const turn = turnOf(shapes);
      const { messages, tokens: taken } = newestSteps(turn, { all: tokens, last: tokens * 2 });
      const words = wordsOf(messages);
      expect(words.match(/said (?:first|in \d+);/gu)).toEqual(
        wordsOf(turn).match(/said (?:first|in \d+);/gu),
      );
      const [first, ...rest] = messages;
      expect(first?.role).toBe('user');
      expect(messagesTokens(rest)).toBe(taken);
      const roles = rest.map(({ role }) => role);
      if (shapes.length > 0) expect(roles[0]).toBe('assistant');
      rest.forEach((message, at) => {
        if (message.role !== 'assistant') return;
        const calls = message.content.filter(({ type }) => type === 'toolCall').length;
        expect(roles.slice(at + 1, at + 1 + calls)).toEqual(Array(calls).fill('toolResult'));
        expect(roles[at + 1 + calls]).not.toBe('toolResult');
        expect(message.usage.totalTokens).toBe(0);
      });
      // The last step stays; beside its results only its calls and the notes of the cuts may pass.
      expect(taken).toBeLessThan(tokens * 2 + 250);
      if (roles.filter((role) => role === 'assistant').length > 1) expect(taken).toBeLessThanOrEqual(tokens);
    }),
  );
});

test('what nobody has answered yet is not a part of it', () => {
  const turn = turnOf([{ answer: 1, results: [1], said: true }]);
  expect(answered(turn)).toEqual(turn.slice(0, 3));
  expect(answered(turn.slice(0, 1))).toEqual([]);
});

test('what was counted holds for everything before it', () => {
  const [said] = turnOf([]);
  if (said === undefined) throw new Error('nothing said');
  const more: Message = { role: 'user', content: 'x'.repeat(35), timestamp: 0 };
  expect(contextTokens([said, answer('a', 0, 1_000), more])).toBe(1_010);
  expect(contextTokens([more, answer('a'.repeat(7), 0, 0), more])).toBe(22);
  const image = { type: 'image', data: 'x'.repeat(9_999), mimeType: 'image/png' } as const;
  expect(
    contextTokens([{ role: 'user', content: [image, { type: 'text', text: 'x'.repeat(7) }], timestamp: 0 }]),
  ).toBe(1_602);
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createEventQueue } from '../../src/agent/event-queue.ts';
import type { AgentEvent } from '../../src/agent/runtime.ts';
import { createHeadTail, cutText } from '../../src/agent/tools/bounded.ts';
import { collect } from './support.ts';

const delta = fc.oneof(
  fc.record({ type: fc.constant('text' as const), text: fc.string() }),
  fc.record({ type: fc.constant('thinking' as const), text: fc.string() }),
  fc.record({ type: fc.constant('request' as const), index: fc.nat() }),
);

test('waiting deltas become one, and nothing is lost or reordered', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(delta), async (events) => {
      const queue = createEventQueue({ onAbandoned: () => {} });
      for (const event of events) queue.push(event);
      queue.push({ type: 'end', status: 'completed' });
      queue.push({ type: 'text', text: 'late' });
      const read = await collect(queue.events);
      expect(flat(read)).toEqual([...flat(events), 'end']);
      expect(read.some((event, at) => event.type !== 'request' && event.type === read[at + 1]?.type)).toBe(
        false,
      );
    }),
  );
});

/** One string per letter, so that how deltas are cut does not matter. */
function flat(events: readonly AgentEvent[]): string[] {
  return events.flatMap((event) =>
    event.type === 'text' || event.type === 'thinking'
      ? [...event.text].map((letter) => `${event.type}${letter}`)
      : [event.type === 'request' ? `request${event.index}` : event.type],
  );
}

test('a reader that leaves is reported once', async () => {
  let abandoned = 0;
  const queue = createEventQueue({
    onAbandoned: () => {
      abandoned += 1;
    },
  });
  queue.push({ type: 'text', text: 'a' });
  for await (const _event of queue.events) break;
  queue.push({ type: 'text', text: 'b' });
  expect(abandoned).toBe(1);
});

test('bounded texts stay bounded, keep both ends and never split a character', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'grapheme' })), fc.nat(20), fc.nat(20), (parts, head, tail) => {
      const bound = createHeadTail(head + 1, tail + 1);
      for (const part of parts) bound.add(Buffer.from(part));
      const text = parts.join('');
      fc.pre(!text.includes('\ufffd'));
      expect(bound.total).toBe(Buffer.byteLength(text));
      if (bound.total <= head + tail + 2) expect(bound.text()).toBe(text);
      else expect(bound.text()).not.toContain('\ufffd');
      expect(text.startsWith(cutText(text, head))).toBe(true);
      expect(Buffer.byteLength(cutText(text, head))).toBeLessThanOrEqual(head);
    }),
  );
});

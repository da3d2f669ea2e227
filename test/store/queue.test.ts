/** Messages that wait, and files that go with them. */
import { describe, expect, test, vi } from 'vitest';
import { refusal } from '../../src/client/failure.ts';
import { roomLeft, tooLong } from '../../src/store/outbox.ts';
import type { AttachedFile } from '../../src/store/state.ts';
import { LIMITS } from '../../src/wire/limits.ts';
import { runTurn, scene, untilReady } from './scene.ts';

const SHOT: AttachedFile = {
  path: '/p/shot.png',
  name: 'shot.png',
  size: 9,
  kind: 'image',
  temporary: false,
};

describe('messages that wait', () => {
  test('the newest comes back to the draft, or is dropped; the others keep their order', async () => {
    const made = scene();
    await untilReady(made);
    await runTurn(made, 'first');
    const { conversation, keeper, store } = made;
    for (const text of ['second', 'third', 'fourth']) conversation.send(text);
    expect(conversation.takeBack()?.text).toBe('fourth');
    expect(store.getState().returned).toMatchObject([{ text: 'fourth', place: 'before' }]);
    expect(conversation.drop()).toBe('third');
    expect(store.getState().outbox.map(({ text }) => text)).toEqual(['second']);
    expect([...keeper.kept.values()].at(-1)?.outbox.map(({ text }) => text)).toEqual(['second']);
    expect(conversation.takeBack()?.text).toBe('second');
    expect([conversation.takeBack(), conversation.drop()]).toEqual([null, null]);
  });

  test('one that is being sent is not taken back', async () => {
    const made = scene();
    await untilReady(made);
    made.conversation.send('only');
    expect(made.conversation.takeBack()).toBeNull();
    await vi.waitFor(() => expect(made.service.prompts).toEqual(['only']));
  });
});

describe('files', () => {
  test('are attached before the turn that names them', async () => {
    const made = scene();
    const asked: unknown[] = [];
    made.service.handlers.set('session.attach_file', (payload) => {
      asked.push(payload);
      return { ref: `ref-${asked.length}` };
    });
    made.service.handlers.set('turn.start', (payload) => {
      asked.push(payload);
      return { turn_id: 'turn-1', status: 'accepted' };
    });
    await untilReady(made);
    made.conversation.send('look', [SHOT, { ...SHOT, path: '/p/other.png' }]);
    await vi.waitFor(() => expect(made.store.getState().live).not.toBeNull());
    expect(asked).toEqual([
      { path: '/p/shot.png' },
      { path: '/p/other.png' },
      { prompt: 'look', attachments: [{ ref: 'ref-1' }, { ref: 'ref-2' }] },
    ]);
    expect(made.taken).toEqual([SHOT.path, '/p/other.png']);
  });

  test('that are refused come back with their message and the reason', async () => {
    const made = scene();
    made.service.handlers.set('session.attach_file', () => {
      throw refusal({ code: 'resource_not_found' });
    });
    await untilReady(made);
    made.conversation.send('look', [SHOT]);
    await vi.waitFor(() => expect(made.store.getState().outbox).toEqual([]));
    const { notice, returned } = made.store.getState();
    expect(returned).toMatchObject([{ text: 'look', attachments: [SHOT] }]);
    expect(notice?.text).toMatch(/^Not sent\. shot\.png: /);
    expect([made.service.prompts, made.taken]).toEqual([[], []]);
  });
});

describe('the room of a message', () => {
  test('is measured as text, and as it is written on the wire', () => {
    expect(roomLeft('')).toBeGreaterThan(0);
    expect(roomLeft('a'.repeat(LIMITS.max_string_bytes))).toBe(0);
    expect(roomLeft('漢'.repeat(5_462))).toBe(LIMITS.max_string_bytes - 3 * 5_462);
    expect(roomLeft('\n'.repeat(16_000))).toBeLessThan(0);
    expect(tooLong('\n'.repeat(15_000))).toBeNull();
    expect(tooLong('\n'.repeat(16_000))).toMatch(/line ends and quotes count twice/);
    expect(tooLong('a'.repeat(16_385))).toMatch(/has 16,385 bytes; a message may have 16,384/);
  });
});

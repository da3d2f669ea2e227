/** The whole client below its screens on a real daemon: link, store, recovery (PROTOCOL.md, "Recovery"). */
import { describe, expect, test, vi } from 'vitest';
import type { State } from '../../src/store/state.ts';
import type { Store } from '../../src/store/store.ts';
import { keptDraft, words as shown } from '../store/scene.ts';
import { slowly, speaking, words } from './model.ts';
import { scenes } from './scene.ts';
import { talks } from './talk.ts';

const scene = scenes();
const talkWith = talks();

const settled = (store: Store<State>) =>
  vi.waitFor(() => expect(store.getState().live).toBeNull(), { timeout: 30_000, interval: 5 });

describe('a conversation', () => {
  test('600 deltas at 2 ms: every word is shown once, the draft stays, the message is sent once', async () => {
    const opened = await scene(speaking(600, { burst: 5, delayMs: 10 }));
    const talk = talkWith(opened);
    const { conversation, store } = talk;
    await vi.waitFor(() => expect(store.getState().link.kind).toBe('ready'));
    expect(store.getState().telling).toBe('activity');
    const recoveries: number[] = [];
    let lostAt: number | null = null;
    store.subscribe(() => {
      const { link, live } = store.getState();
      if (link.kind === 'lost') lostAt ??= performance.now();
      if (lostAt !== null && (live?.relinks ?? 0) > recoveries.length) {
        recoveries.push(performance.now() - lostAt);
        lostAt = null;
      }
    });
    conversation.send('speak');
    await vi.waitFor(() => expect(store.getState().live?.text).toBeTruthy(), { interval: 2 });
    conversation.keepDraft('half a thought');
    await settled(store);
    await vi.waitFor(() => expect(store.getState().historyState).toBe('complete'));
    console.log(
      `${recoveries.length} recoveries in the store, from the loss to the text: ${recoveries.map((ms) => ms.toFixed(0)).join(', ')} ms`,
    );
    expect(recoveries.length).toBeGreaterThan(0);
    expect(shown({ store })).toEqual(['user: speak', `answer: ${words(600).join('')}`, 'turn-end']);
    expect(keptDraft(talk)).toBe('half a thought');
    expect(store.getState()).toMatchObject({ outbox: [], notice: null });
    expect(opened.model.requests).toHaveLength(1);
  });

  test('a daemon that is killed in mid-turn: what was shown stays, and the next one goes on', async () => {
    const opened = await scene(slowly);
    const { conversation, store } = talkWith(opened);
    await vi.waitFor(() => expect(store.getState().link.kind).toBe('ready'));
    conversation.send('speak');
    await vi.waitFor(() => expect(store.getState().live?.text.length).toBeGreaterThan(20), { interval: 5 });
    await opened.daemon.kill();
    await opened.startDaemon();
    await settled(store);
    await vi.waitFor(() => expect(store.getState().link.kind).toBe('ready'), { timeout: 20_000 });
    const [first, second, third] = shown({ store });
    expect([first, third]).toEqual(['user: speak', 'turn-end']);
    expect(second).toMatch(/^answer: w000 w001 /);
    expect(store.getState().history.at(-1)).toMatchObject({
      status: 'failed',
      reason: 'The service stopped in mid-turn.',
    });
    expect(store.getState().outbox).toEqual([]);
  });
});

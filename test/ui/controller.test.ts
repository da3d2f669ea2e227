/** What comes first when the store and the keyboard speak within one frame. */
import { expect, test, vi } from 'vitest';
import { INITIAL, type State } from '../../src/store/state.ts';
import { Store } from '../../src/store/store.ts';
import { Controller } from '../../src/ui/controller.ts';
import { charKey, PLAIN } from '../../src/ui/keys/key-event.ts';
import { FakeService, SESSION } from '../store/fake-service.ts';
import { keptDraft, MemoryKeeper, scene, untilReady } from '../store/scene.ts';
import { DeskScene } from './reading/desk.ts';

const SIZE = { columns: 80, rows: 24 };

test('a draft that came before anybody could show it is shown once', () => {
  const { desk } = new DeskScene([]);
  const keeper = new MemoryKeeper();
  keeper.kept.set('new', { draft: 'half a thought', outbox: [] });
  const { conversation, store } = scene(new FakeService('instance-1'), { keeper });
  const controller = new Controller({ ...desk, conversation, store, size: SIZE, tickMs: () => 1_000 });
  store.update((state) => ({ ...state, link: { kind: 'ready' } }));
  const { draft } = controller.view.getState();
  controller.dispose();
  expect([draft.text, keeper.kept.get('new')?.draft]).toEqual(['half a thought', 'half a thought']);
});

test('what comes back in one frame is shown as it is kept', async () => {
  const { desk } = new DeskScene([]);
  const made = scene();
  const { conversation, keeper, store } = made;
  await untilReady(made);
  made.service.handlers.set('turn.start', () => new Promise(() => undefined));
  const controller = new Controller({ ...desk, conversation, store, size: SIZE, tickMs: () => 1_000 });
  for (const text of ['first', 'second', 'third']) conversation.send(text);
  await vi.waitFor(() => expect(made.service.calls).toContain('turn.start'));
  controller.handle(charKey('h', PLAIN), { batch: 1, atMs: 0 });
  conversation.takeBack();
  conversation.takeBack();
  const { draft } = controller.view.getState();
  controller.dispose();
  expect([draft.text, keptDraft({ keeper, store })]).toEqual(['second\nthird\nh', 'second\nthird\nh']);
});

test('undo never reaches into the draft of another session', async () => {
  const { desk } = new DeskScene([]);
  const made = scene();
  const { conversation, store } = made;
  await untilReady(made);
  const controller = new Controller({ ...desk, conversation, store, size: SIZE, tickMs: () => 1_000 });
  const undo = { ...charKey('_', PLAIN), ctrl: true };
  for (const letter of 'half') controller.handle(charKey(letter, PLAIN), { batch: 1, atMs: 0 });
  conversation.open(SESSION, 'Old');
  await vi.waitFor(() => expect(store.getState().session?.id).toBe(SESSION));
  controller.handle(undo, { batch: 2, atMs: 10 });
  const there = controller.view.getState().draft.text;
  conversation.startNew();
  await vi.waitFor(() => expect(store.getState().session).toBeNull());
  controller.handle(undo, { batch: 3, atMs: 20 });
  const back = controller.view.getState().draft.text;
  controller.dispose();
  expect([there, back]).toEqual(['', 'half']);
});

test('keys are for the session that is open now: a list opened with them stays', () => {
  const { desk } = new DeskScene([]);
  const frames: (() => void)[] = [];
  const store = new Store<State>({ ...INITIAL, link: { kind: 'ready' }, telling: 'envelopes' }, (run) =>
    frames.push(run),
  );
  const nothing = { readDraftFrom: () => undefined, takeReturned: () => [], keepDraft: () => undefined };
  const conversation = Object.assign(desk.conversation, nothing);
  const controller = new Controller({ ...desk, conversation, store, size: SIZE, tickMs: () => 1_000 });

  store.update((state) => ({ ...state, session: { id: 's', title: 'Old', control: 'other' } }));
  controller.handle(charKey('a', { ...PLAIN, alt: true }), { batch: 1, atMs: 0 });
  for (const frame of frames.splice(0)) frame();
  controller.handle(charKey('n', PLAIN), { batch: 2, atMs: 10 });
  const { draft, picker } = controller.view.getState();
  controller.dispose();
  expect([picker?.kind, picker?.field.text, draft.text]).toEqual(['permission', 'n', '']);
});

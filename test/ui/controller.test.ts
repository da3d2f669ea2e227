/** What comes first when the store and the keyboard speak within one frame. */
import { expect, test } from 'vitest';
import { INITIAL, type State } from '../../src/store/state.ts';
import { Store } from '../../src/store/store.ts';
import { Controller } from '../../src/ui/controller.ts';
import { charKey, PLAIN } from '../../src/ui/keys/key-event.ts';
import { FakeService } from '../store/fake-service.ts';
import { MemoryKeeper, scene } from '../store/scene.ts';
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

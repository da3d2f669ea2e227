/** Nothing typed is lost, whatever comes between the fingers and the file. */
import { describe, expect, test, vi } from 'vitest';
import { localFailure } from '../../src/client/failure.ts';
import { FakeService, SESSION } from './fake-service.ts';
import { keptDraft, MemoryKeeper, type Scene, scene, untilReady } from './scene.ts';

const draft = (text: string) => ({ draft: text, outbox: [] });

/** A service that has one session, and a program that was started to open it. */
function opening(keeper = new MemoryKeeper(), target = 'last') {
  const service = new FakeService('instance-1');
  const listed = Promise.withResolvers<void>();
  service.handlers.set('session.list', async () => {
    await listed.promise;
    const session = { session_id: SESSION, title: 'Old', updated_at: 1, created_at: 1, status: 'unowned' };
    return { sessions: [session], next_cursor: null, incomplete: false };
  });
  service.save('Old', 'Answer');
  const made = scene(service, { keeper, target });
  return { ...made, list: () => listed.resolve() };
}

/** A composer over the scene, as a screen has it. */
function composer(made: Pick<Scene, 'conversation'>) {
  const written = { text: '', files: [] };
  made.conversation.readDraftFrom(() => written);
  return {
    type: (text: string) => {
      written.text = text;
      made.conversation.keepDraft(text);
    },
    /** Typed, and no file was written since. */
    typeLate: (text: string) => {
      written.text = text;
    },
  };
}

describe('while the session that was asked for is not open yet', () => {
  test('what is typed and sent belongs to it, after what was kept for it', async () => {
    const keeper = new MemoryKeeper();
    keeper.kept.set(SESSION, draft('kept'));
    keeper.kept.set('new', draft('precious'));
    const made = opening(keeper);
    const { type, typeLate } = composer(made);
    made.conversation.send('sent early');
    type('typ');
    expect([keeper.kept.get('opening')?.draft, keeper.kept.get('new')?.draft]).toEqual(['typ', 'precious']);
    typeLate('typed');
    made.list();
    await vi.waitFor(() => expect(made.service.prompts).toEqual(['sent early']));
    expect(made.conversation.takeReturned()).toEqual([{ text: 'kept', place: 'before', attachments: [] }]);
    expect(keptDraft(made)).toBe('kept\ntyped');
    expect(keeper.kept.get('opening')).toEqual(draft(''));
    expect(keeper.kept.get('new')?.draft).toBe('precious');
  });

  test('what is typed goes before a new one when there is none, and loses nothing that was kept', async () => {
    const keeper = new MemoryKeeper();
    keeper.kept.set('new', draft('precious'));
    const made = opening(keeper, 'nowhere');
    composer(made).type('typed');
    made.list();
    await untilReady(made);
    expect(made.store.getState().notice?.text).toContain('There is no session nowhere');
    expect(keeper.kept.get('new')?.draft).toBe('precious\ntyped');
  });

  test('who goes elsewhere takes along what was typed', async () => {
    const made = opening();
    composer(made).type('typed');
    made.list();
    made.conversation.startNew();
    await untilReady(made);
    expect(made.store.getState().session).toBeNull();
    expect([keptDraft(made), made.keeper.kept.get('opening')]).toEqual(['typed', draft('')]);
  });

  test('an end in the middle leaves it for the next start', () => {
    const keeper = new MemoryKeeper();
    composer(opening(keeper)).type('typed');
    const again = opening(keeper, 'new');
    expect(again.conversation.takeReturned().map(({ text }) => text)).toEqual(['typed']);
    expect([keeper.kept.get('new')?.draft, keeper.kept.get('opening')]).toEqual(['typed', draft('')]);
  });

  test('a link that is lost on the way is not taken for an empty list', async () => {
    const made = opening();
    const lists = vi.fn(() => {
      made.service.handlers.set('session.list', () => ({
        sessions: [{ session_id: SESSION, title: 'Old', updated_at: 1, created_at: 1, status: 'unowned' }],
        next_cursor: null,
        incomplete: false,
      }));
      made.service.drop();
      throw localFailure('link_lost');
    });
    made.service.handlers.set('session.list', lists);
    await vi.waitFor(() => expect(made.store.getState().session?.id).toBe(SESSION));
    expect(lists).toHaveBeenCalledTimes(1);
    expect(made.store.getState().notice).toBeNull();
  });
});

describe('text that comes back', () => {
  test('is in the file at once, each piece of it, also when nobody has shown it yet', async () => {
    const made = scene();
    await untilReady(made);
    composer(made).type('half');
    made.service.handlers.set('turn.start', () => new Promise(() => undefined));
    for (const text of ['first', 'second', 'third']) made.conversation.send(text);
    await vi.waitFor(() => expect(made.service.calls).toContain('turn.start'));
    made.conversation.keepDraft('half');
    made.conversation.takeBack();
    made.conversation.takeBack();
    expect(keptDraft(made)).toBe('second\nthird\nhalf');
    expect(made.conversation.takeReturned().map(({ text }) => text)).toEqual(['third', 'second']);
    expect(made.conversation.takeReturned()).toEqual([]);
    expect(keptDraft(made)).toBe('second\nthird\nhalf');
  });

  test('what is typed until another session opens stays with the one that was left', async () => {
    const made = scene();
    await untilReady(made);
    const { type, typeLate } = composer(made);
    type('half');
    made.conversation.open(SESSION, 'Old');
    typeLate('half a thought');
    await vi.waitFor(() => expect(made.store.getState().session?.id).toBe(SESSION));
    expect(made.keeper.kept.get('new')?.draft).toBe('half a thought');
    expect(made.store.getState().returned).toEqual([{ text: '', place: 'instead', attachments: [] }]);
  });
});

/** The whole client below its screens, on a daemon. */
import { afterEach } from 'vitest';
import { openConnection } from '../../src/client/connection.ts';
import { ServiceLink } from '../../src/client/link.ts';
import { Conversation } from '../../src/store/conversation.ts';
import { INITIAL, type State } from '../../src/store/state.ts';
import { Store } from '../../src/store/store.ts';
import { MemoryKeeper, serialIds } from '../store/scene.ts';
import type { Scene } from './scene.ts';

export interface Talk {
  readonly store: Store<State>;
  readonly conversation: Conversation;
  readonly keeper: MemoryKeeper;
}

/** For one test file: opens talks, each of which is closed after its test. */
export function talks(): (scene: Scene) => Talk {
  const open: Conversation[] = [];
  afterEach(async () => {
    for (const conversation of open.splice(0)) await conversation.close();
  });
  return ({ daemon }) => {
    const store = new Store<State>(INITIAL, (run) => run());
    const keeper = new MemoryKeeper();
    const link = new ServiceLink(() =>
      openConnection({ ...daemon.endpoint, wishes: ['session_protocol_v2'] }),
    );
    const conversation = new Conversation({
      store,
      link,
      keeper,
      now: Date.now,
      newId: serialIds(),
      newOperationId: () => crypto.randomUUID(),
      later: (run, ms) => {
        const timer = setTimeout(run, ms);
        return () => clearTimeout(timer);
      },
      target: 'new',
    });
    open.push(conversation);
    return { store, conversation, keeper };
  };
}

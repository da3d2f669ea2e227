/** A conversation with everything around it in memory: what `keeper` keeps, and a service that can be replaced. */
import { expect, vi } from 'vitest';
import { ServiceLink } from '../../src/client/link.ts';
import { Conversation } from '../../src/store/conversation.ts';
import { type Keeper, type Kept, NOTHING_KEPT } from '../../src/store/keeper.ts';
import { INITIAL, type State } from '../../src/store/state.ts';
import { Store } from '../../src/store/store.ts';
import { FakeService } from './fake-service.ts';

export class MemoryKeeper implements Keeper {
  readonly kept = new Map<string, Kept>();

  load(key: string): Kept {
    return this.kept.get(key) ?? NOTHING_KEPT;
  }

  save(key: string, kept: Kept): null {
    this.kept.set(key, kept);
    return null;
  }
}

export interface Scene {
  readonly store: Store<State>;
  readonly conversation: Conversation;
  readonly keeper: MemoryKeeper;
  /** The service that the next dial reaches. */
  service: FakeService;
  /** What waits for its time; a test runs it. */
  later: () => void;
  /** Paths of files that the service has taken. */
  readonly taken: string[];
  /** For how long each of those was told to wait, ms. */
  readonly waits: number[];
}

export interface SceneParts {
  readonly keeper?: MemoryKeeper;
  /** The session to begin with. */
  readonly target?: string;
}

export function scene(
  service = new FakeService('instance-1'),
  { keeper = new MemoryKeeper(), target = 'new' }: SceneParts = {},
): Scene {
  const store = new Store<State>(INITIAL, (run) => run());
  const newId = serialIds();
  const made: Omit<Scene, 'conversation'> = {
    store,
    keeper,
    service,
    later: () => undefined,
    taken: [],
    waits: [],
  };
  const link = new ServiceLink(async () => made.service.connect(), {
    schedule: (run) => {
      queueMicrotask(run);
      return () => undefined;
    },
  });
  const conversation = new Conversation({
    store,
    link,
    keeper,
    now: () => 1,
    newId,
    newOperationId: newId,
    later: (run, ms) => {
      made.later = run;
      made.waits.push(ms);
      return () => undefined;
    },
    pause: async () => undefined,
    target,
    taken: (files) => made.taken.push(...files.map(({ path }) => path)),
  });
  return Object.assign(made, { conversation });
}

/** What came back for the composer, the newest last; empty when nothing did. */
export function returnedText({ store }: Pick<Scene, 'store'>): string {
  const texts = store.getState().returned.map(({ text }) => text);
  return texts.filter((text) => text !== '').join('\n');
}

/** The draft of the open session as it would be found after the end of this process. */
export function keptDraft({ keeper, store }: Pick<Scene, 'keeper' | 'store'>): string | undefined {
  return keeper.kept.get(store.getState().session?.id ?? 'new')?.draft;
}

/** `n1`, `n2` and so on. */
export function serialIds(): () => string {
  let serial = 0;
  return () => {
    serial += 1;
    return `n${serial}`;
  };
}

/** Everything that is said on the screen, in order. */
export function words({ store }: Pick<Scene, 'store'>): string[] {
  const { history, live } = store.getState();
  return [...history, ...(live?.blocks ?? [])].map((block) =>
    'text' in block ? `${block.kind}: ${block.text}` : block.kind,
  );
}

export async function untilReady({ store }: Pick<Scene, 'store'>): Promise<void> {
  await vi.waitFor(() => expect(store.getState().link.kind).toBe('ready'));
}

export async function runTurn(made: Scene, text: string): Promise<void> {
  made.conversation.send(text);
  await vi.waitFor(() => expect(made.store.getState().live).not.toBeNull());
  made.service.started();
}

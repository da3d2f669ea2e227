/** A desk without a service: keys in, frames and words out. */
import { rowText } from '../../../src/render/row.ts';
import type { Conversation } from '../../../src/store/conversation.ts';
import { INITIAL, type State } from '../../../src/store/state.ts';
import { Store } from '../../../src/store/store.ts';
import type { Block } from '../../../src/transcript/blocks.ts';
import { HANDLERS } from '../../../src/ui/commands/handlers.ts';
import { contextsOf } from '../../../src/ui/contexts.ts';
import type { Desk } from '../../../src/ui/desk.ts';
import type { Frame } from '../../../src/ui/frame.ts';
import { type CommandId, contextOf, resolve } from '../../../src/ui/keys/bindings.ts';
import { charKey, type NamedKey, namedKey, PLAIN } from '../../../src/ui/keys/key-event.ts';
import { chatFrame } from '../../../src/ui/screens/chat.ts';
import { detailFrame } from '../../../src/ui/screens/detail.ts';
import { Preferences } from '../../../src/ui/settings/preferences.ts';
import { Talk } from '../../../src/ui/talk.ts';
import { initialView, type View } from '../../../src/ui/view.ts';

export class DeskScene {
  readonly said: string[] = [];
  readonly copied: string[] = [];
  readonly calls: string[] = [];
  readonly desk: Desk;
  outputs: Conversation['readOutput'] = async () => null;
  earlier: () => Promise<void> = async () => undefined;

  constructor(history: readonly Block[], size = { columns: 60, rows: 20 }) {
    const state: State = {
      ...INITIAL,
      link: { kind: 'ready' },
      session: { id: 's', title: 'A title', control: 'mine' },
      history,
    };
    const conversation = {
      readOutput: (call: string, offset: number) => this.outputs(call, offset),
      answer: (decision: string) => void this.calls.push(`answer ${decision}`),
      steer: (text: string) => {
        this.calls.push(`steer ${text}`);
        return 'steered';
      },
      settings: {
        save: async (scope: string, change: object) =>
          void this.calls.push(`save ${scope} ${JSON.stringify(change)}`),
        read: async () => void this.calls.push('read settings'),
        forget: () => void this.calls.push('forget'),
      },
      catalog: {
        read: async () => void this.calls.push('read catalog'),
        refresh: async (id: string) => void this.calls.push(`refresh ${id}`),
      },
      signing: { readProviders: async () => undefined, forget: () => undefined },
      listSessions: () => undefined,
      pages: { interrupt: () => undefined, follow: () => undefined, earlier: () => this.earlier() },
    } as unknown as Conversation;
    this.desk = {
      store: new Store(state, queueMicrotask),
      view: new Store(initialView(size, 0), queueMicrotask),
      conversation,
      talk: new Talk(),
      leave: () => undefined,
      suspend: () => undefined,
      redraw: () => undefined,
      saveKey: null,
      preferences: new Preferences('/nowhere/settings.json', {}),
      lend: async () => null,
      say: (text) => void this.said.push(text),
      copy: async (text) => {
        this.copied.push(text);
        return { kind: 'copied' };
      },
      workspace: '/work',
      prompts: { load: async () => [], add: () => undefined },
      files: { took: () => undefined },
      run: (command) => this.run(command),
      edit: (change) => this.desk.view.update(change),
      draftKept: () => undefined,
    };
  }

  get view(): View {
    return this.desk.view.getState();
  }

  update(change: (state: State) => State): void {
    this.desk.store.update(change);
  }

  run(command: CommandId): void {
    HANDLERS[contextOf(command)](command, this.desk, { batch: 0, atMs: 0 });
  }

  /** Presses plain keys, each a character or a name, as far as somebody listens to them. */
  press(...keys: string[]): void {
    for (const key of keys) {
      const event = key.length === 1 ? charKey(key, PLAIN) : namedKey(key as NamedKey, PLAIN);
      const command = resolve(event, contextsOf(this.desk.store.getState(), this.view));
      if (command !== null) this.run(command);
    }
  }

  /** What is on the screen, row by row. */
  screen(): string[] {
    return this.frame().rows.map((row) => rowText(row).trimEnd());
  }

  frame(): Frame {
    const { desk, view } = this;
    const state = desk.store.getState();
    return view.detail === null
      ? chatFrame({ state, view, talk: desk.talk, folder: '~/p', monotonic: 0 })
      : detailFrame({ state, talk: desk.talk, detail: view.detail }, view.size, '');
  }
}

export function said(id: string, text: string): Block {
  return { kind: 'user', id, revision: 0, text };
}

export function answered(id: string, text: string): Block {
  return { kind: 'answer', id, revision: 0, turn: 't', text, open: false };
}

export function toolCall(id: string, output: string, outputBytes?: number): Block {
  const head = { kind: 'tool', id, revision: 0, call: `call-${id}`, name: 'bash', title: 'ls' } as const;
  const rest = { status: 'ok', startedAt: 0, durationMs: 0, diff: '', notice: '' } as const;
  return { ...head, ...rest, output, ...(outputBytes === undefined ? {} : { outputBytes }) };
}

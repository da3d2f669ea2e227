/** Runs the full-screen interface until the user leaves: terminal modes, input, Ink, and the way out. */
import { PassThrough } from 'node:stream';
import { render } from 'ink';
import { guardProcess, type LeaveCause, type TerminalAbilities } from '../platform/terminal.ts';
import { loadWantedLanguages, wantedLanguages } from '../render/highlight.ts';
import { PALETTES } from '../render/palette.ts';
import type { Conversation } from '../store/conversation.ts';
import type { State } from '../store/state.ts';
import type { Store } from '../store/store.ts';
import { App } from './app.tsx';
import { Controller } from './controller.ts';
import { type Frame, type Size, SMALLEST } from './frame.ts';
import { InputSource } from './keys/input-source.ts';
import { Painter } from './painter.ts';
import { ScreenOutput } from './screen-output.ts';
import { chatFrame } from './screens/chat.ts';
import { helpFrame, sessionsFrame, setupFrame, tooSmallFrame } from './screens/other.ts';
import { Talk } from './talk.ts';
import type { View } from './view.ts';

export interface RunOptions {
  readonly store: Store<State>;
  readonly conversation: Conversation;
  readonly abilities: TerminalAbilities;
  /** The folder as it is shown. */
  readonly folder: string;
  /** Lines for the normal screen after leaving. */
  readonly farewell: (state: State, cause: LeaveCause) => string | null;
}

const MAX_FPS = 30;

/** Shows the interface. The process ends through the guard, which restores the terminal first. */
export function runInterface({ store, conversation, abilities, folder, farewell }: RunOptions): void {
  const { stdout, stdin } = process;
  const talk = new Talk();
  const output = new ScreenOutput(stdout);
  const guard = guardProcess({
    reason: (cause) => farewell(store.getState(), cause),
    beforeExit: async () => {
      controller.dispose();
      await conversation.close();
    },
    silence: () => output.mute(),
    redraw: () => redraw(),
  });
  const input = new InputSource({
    stdin,
    onEvent: (event, moment) => controller.handle(event, moment),
    onEnd: () => void guard.leave({ kind: 'hang-up' }),
  });
  const controller = new Controller({
    store,
    conversation,
    talk,
    size: sizeOf(stdout),
    leave: () => void guard.leave({ kind: 'quit' }),
    suspend: () => guard.suspend(),
    redraw: () => redraw(),
  });
  guard.install();
  guard.adopt(['alternate-screen']);
  const painter = new Painter(paletteOf(abilities), { links: abilities.links ? 'osc8' : 'none' });
  const frameOf = (state: State, view: View): Frame => screenFrame({ state, view, talk, folder });
  const app = <App store={store} view={controller.view} frameOf={frameOf} painter={painter} />;
  const instance = render(app, {
    stdout: output.stream,
    // Ink must not read the terminal: the input source is its one owner.
    stdin: new PassThrough(),
    alternateScreen: true,
    incrementalRendering: true,
    interactive: true,
    exitOnCtrlC: false,
    maxFps: MAX_FPS,
    onRender: () => {
      if (wantedLanguages().length > 0)
        void loadWantedLanguages().then((ready) => ready && controller.refresh());
    },
  });
  // The renderer stops by itself only when a component threw: without it nobody would ever see why.
  instance.waitUntilExit().catch((error: unknown) => guard.leave({ kind: 'fault', error }));
  const redraw = (): void => {
    instance.clear();
    controller.resize(sizeOf(stdout));
  };
  guard.enter(['bracketed-paste', 'kitty-keyboard']);
  input.start();
  stdout.on('resize', () => controller.resize(sizeOf(stdout)));
}

function sizeOf(stdout: NodeJS.WriteStream): Size {
  return { columns: stdout.columns || 80, rows: stdout.rows || 24 };
}

function paletteOf(abilities: TerminalAbilities) {
  switch (abilities.colour) {
    case 'none':
      return PALETTES.none;
    case '16':
      return PALETTES.ansi16;
    case '256':
    case 'true':
      return PALETTES.dark;
  }
}

function screenFrame({
  state,
  view,
  talk,
  folder,
}: {
  state: State;
  view: View;
  talk: Talk;
  folder: string;
}): Frame {
  const { columns, rows } = view.size;
  if (columns < SMALLEST.columns || rows < SMALLEST.rows) return tooSmallFrame(view.size);
  if (view.help !== null) return helpFrame(view.help, view.size);
  if (state.setup !== null) return setupFrame(state.setup, state, view, folder);
  if (view.screen === 'sessions') return sessionsFrame(state, view, folder);
  return chatFrame({ state, view, talk, folder, monotonic: performance.now() });
}

/** Runs the full-screen interface until the user leaves: terminal modes, input, Ink, and the way out. */
import { PassThrough } from 'node:stream';
import { render } from 'ink';
import { clipboardProgram, copyToClipboard } from '../platform/clipboard.ts';
import type { PromptLog } from '../platform/prompt-log.ts';
import {
  guardProcess,
  type LeaveCause,
  type TerminalAbilities,
  type TerminalMode,
} from '../platform/terminal.ts';
import { loadWantedLanguages, wantedLanguages } from '../render/highlight.ts';
import type { Conversation } from '../store/conversation.ts';
import type { State } from '../store/state.ts';
import type { Store } from '../store/store.ts';
import { App } from './app.tsx';
import { Controller } from './controller.ts';
import type { Desk } from './desk.ts';
import type { Frame, Size } from './frame.ts';
import { InputSource } from './keys/input-source.ts';
import { Previews } from './preview/previews.ts';
import { ScreenOutput } from './screen-output.ts';
import { screenFrame } from './screens/screen.ts';
import type { Preferences } from './settings/preferences.ts';
import { Talk } from './talk.ts';
import type { View } from './view.ts';
import { TerminalWindow } from './window.ts';

export interface RunOptions {
  readonly store: Store<State>;
  readonly conversation: Conversation;
  readonly abilities: TerminalAbilities;
  readonly preferences: Preferences;
  /** The folder as it is shown. */
  readonly folder: string;
  /** Reads a key for a provider in the terminal and saves it; null where the service keeps its keys itself. */
  readonly saveKey: Desk['saveKey'];
  /** The messages that were sent from this folder. */
  readonly prompts: PromptLog;
  /** The folder as an absolute path. */
  readonly workspace: string;
  /** Lines for the normal screen after leaving. */
  readonly farewell: (state: State, cause: LeaveCause) => string | null;
}

/** The store paces what streams; a key is drawn at once, and never waits for a frame of the stream. */
const MAX_FPS = 1_000;
const TICK_MS = 1_000;
/** For those whom motion troubles. */
const CALM_TICK_MS = 10_000;
/** Modes that settings switch on and off. */
const OPTIONAL_MODES: readonly TerminalMode[] = ['own-title', 'focus-reports'];

/** Shows the interface. The process ends through the guard, which restores the terminal first. */
export function runInterface(options: RunOptions): void {
  const { store, conversation, abilities, preferences, folder, workspace, farewell } = options;
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
    redraw: () => {
      output.release();
      terminal.reopen();
      redraw();
    },
  });
  const terminal = new TerminalWindow({
    abilities,
    settings: () => preferences.state.getState().settings,
    folder,
    env: process.env,
    write: (bytes) => output.stream.write(bytes),
    repaint: () => controller.refresh(),
  });
  const input = new InputSource({
    stdin,
    onEvent: (event, moment) => {
      terminal.hear(event);
      controller.handle(event, moment);
    },
    onEnd: () => void guard.leave({ kind: 'hang-up' }),
  });
  const lend: Desk['lend'] = async (work) => {
    input.stop();
    output.hold();
    try {
      return await guard.lend(work);
    } finally {
      output.release();
      input.start();
    }
  };
  const controller = new Controller({
    store,
    conversation,
    talk,
    size: sizeOf(stdout),
    workspace,
    prompts: options.prompts,
    tickMs: () => (preferences.state.getState().settings.reducedMotion === true ? CALM_TICK_MS : TICK_MS),
    preferences,
    leave: () => {
      previews?.close();
      void guard.leave({ kind: 'quit' });
    },
    suspend: () => guard.suspend(),
    lend,
    saveKey: options.saveKey,
    copy: (text) =>
      copyToClipboard(text, {
        env: process.env,
        platform: process.platform,
        write: (bytes) => output.stream.write(bytes),
        helper: clipboardProgram,
      }),
    redraw: () => redraw(),
  });
  const write = (bytes: string): unknown => output.stream.write(bytes);
  const previews = abilities.pictures ? new Previews({ view: controller.view, write }) : null;
  guard.install();
  guard.adopt(['alternate-screen']);
  // Before anything is drawn: whoever sees the first frame may press a key.
  input.start();
  const isColourless = abilities.colour === 'none';
  const frameOf = (state: State, view: View): Frame =>
    screenFrame({ state, view, talk, folder, preferences, isColourless });
  const app = <App store={store} view={controller.view} frameOf={frameOf} painter={() => terminal.painter} />;
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
  guard.enter(['bracketed-paste', 'kitty-keyboard', ...terminal.modes]);
  terminal.open();
  store.subscribe(() => terminal.follow(store.getState()));
  preferences.state.subscribe(() => {
    guard.exit(OPTIONAL_MODES.filter((mode) => !terminal.modes.includes(mode)));
    guard.enter(terminal.modes);
    terminal.adopt();
    controller.refresh();
  });
  stdout.on('resize', () => controller.resize(sizeOf(stdout)));
}

function sizeOf(stdout: NodeJS.WriteStream): Size {
  return { columns: stdout.columns || 80, rows: stdout.rows || 24 };
}

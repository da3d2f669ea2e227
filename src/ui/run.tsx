/** Runs the full-screen interface until the user leaves: terminal modes, input, Ink, and the way out. */
import { PassThrough } from 'node:stream';
import { render } from 'ink';
import { whyNoBrowser } from '../platform/browser.ts';
import { clipboardProgram, copyToClipboard } from '../platform/clipboard.ts';
import type { PromptLog } from '../platform/prompt-log.ts';
import { guardProcess, type LeaveCause, type TerminalAbilities } from '../platform/terminal.ts';
import type { UiSettings } from '../platform/ui-settings.ts';
import { loadWantedLanguages, wantedLanguages } from '../render/highlight.ts';
import type { Conversation } from '../store/conversation.ts';
import type { State } from '../store/state.ts';
import type { Store } from '../store/store.ts';
import { overlays } from './activity/activity-view.ts';
import { App } from './app.tsx';
import { Controller } from './controller.ts';
import type { Desk } from './desk.ts';
import { type Frame, type Size, SMALLEST } from './frame.ts';
import { InputSource } from './keys/input-source.ts';
import { Previews } from './preview/previews.ts';
import { ScreenOutput } from './screen-output.ts';
import { activityFrame } from './screens/activity.ts';
import { chatFrame } from './screens/chat.ts';
import { detailFrame } from './screens/detail.ts';
import { loginFrame } from './screens/login.ts';
import { helpFrame, sessionsFrame, setupFrame, tooSmallFrame } from './screens/other.ts';
import { Talk } from './talk.ts';
import type { View } from './view.ts';
import { TerminalWindow } from './window.ts';

export interface RunOptions {
  readonly store: Store<State>;
  readonly conversation: Conversation;
  readonly abilities: TerminalAbilities;
  readonly settings: UiSettings;
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

/** Shows the interface. The process ends through the guard, which restores the terminal first. */
export function runInterface(options: RunOptions): void {
  const { store, conversation, abilities, settings, folder, workspace, farewell } = options;
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
    settings,
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
    tickMs: settings.reducedMotion === true ? CALM_TICK_MS : TICK_MS,
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
  const frameOf = (state: State, view: View): Frame => screenFrame({ state, view, talk, folder });
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
  input.start();
  terminal.open();
  store.subscribe(() => terminal.follow(store.getState()));
  stdout.on('resize', () => controller.resize(sizeOf(stdout)));
}

function sizeOf(stdout: NodeJS.WriteStream): Size {
  return { columns: stdout.columns || 80, rows: stdout.rows || 24 };
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
  if (view.screen === 'login')
    return loginFrame({
      state,
      view,
      noBrowser: whyNoBrowser(process.env, process.platform),
      monotonic: performance.now(),
    });
  if (state.setup !== null) return setupFrame(state.setup, state, view, folder);
  if (view.screen === 'sessions') return sessionsFrame(state, view, folder);
  if (view.detail !== null) {
    const hint = view.hint !== null && view.hint.until > performance.now() ? view.hint.text : '';
    return detailFrame({ state, talk, detail: view.detail }, view.size, hint);
  }
  if (overlays(view)) return activityFrame(state, view);
  return chatFrame({ state, view, talk, folder, monotonic: performance.now() });
}

/**
 * The window around the picture: its colours, its title, and a sign for somebody who looks elsewhere.
 * Invariant: nothing is written but what `signals.ts` makes, and the title only when it changes.
 */
import type { TerminalAbilities } from '../platform/terminal.ts';
import type { Environment } from '../platform/terminal-abilities.ts';
import type { TerminalMode } from '../platform/terminal-modes.ts';
import type { UiSettings } from '../platform/ui-settings.ts';
import type { State } from '../store/state.ts';
import type { KeyEvent } from './keys/key-event.ts';
import type { Painter } from './painter.ts';
import { type Mood, moodOf, newsOf, signBytes, TERMINAL_QUESTIONS, titleBytes } from './signals.ts';
import { guessedBackground } from './theme/choose.ts';
import { Looks } from './theme/looks.ts';

export interface WindowParts {
  readonly abilities: TerminalAbilities;
  /** Those of now. */
  readonly settings: () => UiSettings;
  readonly env: Environment;
  readonly folder: string;
  readonly write: (bytes: string) => void;
  /** Everything has to be painted anew. */
  readonly repaint: () => void;
}

export class TerminalWindow {
  readonly #parts: WindowParts;
  readonly #looks: Looks;
  #mood: Mood = 'idle';
  #title: string | null = null;
  /** Until the terminal says otherwise somebody looks at it. */
  #isWatched = true;

  constructor(parts: WindowParts) {
    this.#parts = parts;
    const { abilities, env, settings } = parts;
    this.#looks = new Looks(abilities, settings().theme, guessedBackground(env.COLORFGBG));
  }

  get painter(): Painter {
    return this.#looks.painter;
  }

  /** Modes that the window needs now. */
  get modes(): readonly TerminalMode[] {
    const { notify, title } = this.#parts.settings();
    return [
      'scheme-reports',
      ...(title === false ? [] : (['own-title'] as const)),
      ...(notify === 'off' ? [] : (['focus-reports'] as const)),
    ];
  }

  /** The settings have changed. To be called once the modes are as they should be. */
  adopt(): void {
    const { repaint, settings } = this.#parts;
    if (this.#looks.wish(settings().theme)) repaint();
    this.reopen();
  }

  /** Asks the terminal what only it knows. To be called once the modes are set. */
  open(): void {
    if (this.#parts.abilities.colour !== 'none') this.#parts.write(TERMINAL_QUESTIONS);
    this.#showTitle();
  }

  /** The terminal was given back for a while. */
  reopen(): void {
    this.#title = null;
    this.#showTitle();
  }

  /** Takes what is not a key. */
  hear(event: KeyEvent): void {
    if (event.kind === 'focus') this.#isWatched = event.focused;
    else if (event.kind === 'reply' && this.#looks.hear(event)) this.#parts.repaint();
  }

  /** Takes what the service says. */
  follow(state: State): void {
    const mood = moodOf(state);
    const news = newsOf(this.#mood, mood);
    this.#mood = mood;
    this.#showTitle();
    const { env, settings, write } = this.#parts;
    const wish = settings().notify ?? 'auto';
    if (news !== null && wish !== 'off' && !this.#isWatched) write(signBytes(news, wish, env));
  }

  #showTitle(): void {
    const { folder, settings, write } = this.#parts;
    if (settings().title === false) return;
    const title = titleBytes(folder, this.#mood);
    if (title === this.#title) return;
    this.#title = title;
    write(title);
  }
}

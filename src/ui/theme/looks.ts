/** How rows are painted now; it changes when the terminal says what its background is. */
import type { TerminalAbilities } from '../../platform/terminal.ts';
import type { UiSettings } from '../../platform/ui-settings.ts';
import { PALETTES } from '../../render/palette.ts';
import type { TerminalReply } from '../keys/key-event.ts';
import { Painter } from '../painter.ts';
import { type Background, backgroundOf, paletteName } from './choose.ts';

/** OSC 11 is the slot of the background. */
const BACKGROUND_SLOT = 11;

export class Looks {
  readonly #abilities: TerminalAbilities;
  #wish: NonNullable<UiSettings['theme']>;
  #background: Background;
  #painter: Painter;

  constructor(abilities: TerminalAbilities, wish: UiSettings['theme'], guess: Background) {
    this.#abilities = abilities;
    this.#wish = wish ?? 'auto';
    this.#background = guess;
    this.#painter = this.#newPainter();
  }

  get painter(): Painter {
    return this.#painter;
  }

  /** True when everything has to be painted anew. */
  hear(reply: TerminalReply): boolean {
    const background = told(reply);
    return background !== null && this.#changed(() => (this.#background = background));
  }

  /** True when everything has to be painted anew. */
  wish(theme: UiSettings['theme']): boolean {
    return this.#changed(() => (this.#wish = theme ?? 'auto'));
  }

  #changed(change: () => void): boolean {
    const before = this.#paletteName();
    change();
    if (this.#paletteName() === before) return false;
    this.#painter = this.#newPainter();
    return true;
  }

  #paletteName() {
    const { colour } = this.#abilities;
    return paletteName({ colour, wish: this.#wish, background: this.#background });
  }

  #newPainter(): Painter {
    return new Painter(PALETTES[this.#paletteName()], { links: this.#abilities.links ? 'osc8' : 'none' });
  }
}

function told(reply: TerminalReply): Background | null {
  if (reply.reply === 'colour' && reply.slot === BACKGROUND_SLOT) return backgroundOf(reply.rgb);
  return reply.reply === 'colour-scheme' ? reply.scheme : null;
}

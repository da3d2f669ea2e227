/** Which palette fits this terminal and this user. Pure. */
import type { ColourDepth } from '../../platform/terminal.ts';
import type { UiSettings } from '../../platform/ui-settings.ts';
import type { PaletteName } from '../../render/palette.ts';

export type Background = 'dark' | 'light';

export interface ThemeFacts {
  /** `none` also for NO_COLOR: it wins over every wish. */
  readonly colour: ColourDepth;
  readonly wish: NonNullable<UiSettings['theme']>;
  readonly background: Background;
}

export function paletteName({ colour, wish, background }: ThemeFacts): PaletteName {
  if (colour === 'none') return 'none';
  if (wish === 'none') return wish;
  // The others need more colours than there are.
  if (colour === '16' || wish === 'ansi16') return 'ansi16';
  if (wish === 'contrast') return background === 'light' ? 'contrast-light' : 'contrast-dark';
  return wish === 'auto' ? background : wish;
}

/** Whether dark text reads well on the colour. Channels are 0–255; weights of the luma of Rec. 709. */
export function backgroundOf([red, green, blue]: readonly [number, number, number]): Background {
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 127 ? 'light' : 'dark';
}

const LIGHT_SLOTS = new Set(['7', '15']);

/** What COLORFGBG (`text;background`, set by some terminals) says, until the terminal itself has answered. */
export function guessedBackground(colorfgbg: string | undefined): Background {
  return LIGHT_SLOTS.has(colorfgbg?.split(';').at(-1) ?? '') ? 'light' : 'dark';
}

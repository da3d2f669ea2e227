/**
 * How meanings look. A palette gives each style a list of SGR parameters, one attribute each
 * (`1`, `38;5;12`). Without a colour code a palette may use bold, dim, italic, underline, strike, reverse only.
 */
import type { Style } from './row.ts';

export type Palette = Readonly<Record<Style, readonly string[]>>;

export type PaletteName = 'dark' | 'light' | 'contrast-dark' | 'contrast-light' | 'ansi16' | 'none';

const BOLD = '1';
const DIM = '2';
const ITALIC = '3';
const UNDERLINE = '4';
const REVERSE = '7';
const STRIKE = '9';

/** NO_COLOR: every difference that matters is still seen. */
const none: Palette = {
  text: [],
  dim: [DIM],
  strong: [BOLD],
  emphasis: [UNDERLINE],
  'strong-emphasis': [BOLD, UNDERLINE],
  strike: [DIM],
  heading: [BOLD],
  link: [UNDERLINE],
  quote: [DIM],
  marker: [DIM],
  code: [],
  accent: [BOLD],
  good: [],
  warn: [BOLD],
  bad: [BOLD],
  added: [BOLD],
  removed: [DIM],
  selected: [REVERSE],
  match: [UNDERLINE],
  picture: [],
  user: [BOLD],
  'syntax-keyword': [],
  'syntax-string': [],
  'syntax-number': [],
  'syntax-comment': [DIM],
  'syntax-title': [],
  'syntax-type': [],
};

/** The terminal's own sixteen colours. */
const ansi16: Palette = {
  text: [],
  dim: [DIM],
  strong: [BOLD],
  emphasis: [ITALIC],
  'strong-emphasis': [BOLD, ITALIC],
  strike: [STRIKE],
  heading: [BOLD, '36'],
  link: [UNDERLINE, '34'],
  quote: [DIM],
  marker: ['36'],
  code: ['33'],
  accent: ['36'],
  good: ['32'],
  warn: ['33'],
  bad: ['31'],
  added: ['32'],
  removed: ['31'],
  selected: [REVERSE],
  match: ['30', '43'],
  picture: ['97', '40'],
  user: [BOLD, '36'],
  'syntax-keyword': ['35'],
  'syntax-string': ['32'],
  'syntax-number': ['33'],
  'syntax-comment': [DIM],
  'syntax-title': ['34'],
  'syntax-type': ['36'],
};

const dark: Palette = {
  ...ansi16,
  dim: ['38;5;245'],
  heading: [BOLD, '38;5;117'],
  link: [UNDERLINE, '38;5;111'],
  quote: ['38;5;249'],
  marker: ['38;5;110'],
  code: ['38;5;180'],
  accent: ['38;5;117'],
  good: ['38;5;114'],
  warn: ['38;5;179'],
  bad: ['38;5;203'],
  added: ['38;5;114'],
  removed: ['38;5;203'],
  match: ['38;5;16', '48;5;179'],
  user: [BOLD, '38;5;152'],
  'syntax-keyword': ['38;5;176'],
  'syntax-string': ['38;5;150'],
  'syntax-number': ['38;5;216'],
  'syntax-comment': ['38;5;245'],
  'syntax-title': ['38;5;111'],
  'syntax-type': ['38;5;116'],
};

const light: Palette = {
  ...ansi16,
  dim: ['38;5;242'],
  heading: [BOLD, '38;5;24'],
  link: [UNDERLINE, '38;5;25'],
  quote: ['38;5;240'],
  marker: ['38;5;31'],
  code: ['38;5;94'],
  accent: ['38;5;25'],
  good: ['38;5;28'],
  warn: ['38;5;130'],
  bad: ['38;5;160'],
  added: ['38;5;28'],
  removed: ['38;5;160'],
  match: ['38;5;16', '48;5;222'],
  user: [BOLD, '38;5;24'],
  'syntax-keyword': ['38;5;90'],
  'syntax-string': ['38;5;28'],
  'syntax-number': ['38;5;130'],
  'syntax-comment': ['38;5;242'],
  'syntax-title': ['38;5;25'],
  'syntax-type': ['38;5;30'],
};

/** High contrast: nothing is dimmed, and weight or underline says what a colour says. */
const contrastDark: Palette = {
  ...ansi16,
  dim: ['38;5;252'],
  heading: [BOLD, UNDERLINE],
  link: [UNDERLINE, '38;5;123'],
  quote: ['38;5;255'],
  marker: [BOLD, '38;5;123'],
  code: ['38;5;229'],
  accent: [BOLD, '38;5;123'],
  good: [BOLD, '38;5;120'],
  warn: [BOLD, '38;5;227'],
  bad: [BOLD, '38;5;217'],
  added: [BOLD, '38;5;120'],
  removed: [UNDERLINE, '38;5;217'],
  match: [BOLD, UNDERLINE, '38;5;16', '48;5;227'],
  user: [BOLD, '38;5;231'],
  'syntax-keyword': [BOLD],
  'syntax-string': ['38;5;157'],
  'syntax-number': ['38;5;223'],
  'syntax-comment': ['38;5;252'],
  'syntax-title': ['38;5;159'],
  'syntax-type': ['38;5;159'],
};

const contrastLight: Palette = {
  ...contrastDark,
  dim: ['38;5;238'],
  link: [UNDERLINE, '38;5;18'],
  quote: ['38;5;234'],
  marker: [BOLD, '38;5;18'],
  code: ['38;5;52'],
  accent: [BOLD, '38;5;18'],
  good: [BOLD, '38;5;22'],
  warn: [BOLD, '38;5;94'],
  bad: [BOLD, '38;5;88'],
  added: [BOLD, '38;5;22'],
  removed: [UNDERLINE, '38;5;88'],
  user: [BOLD, '38;5;16'],
  'syntax-string': ['38;5;22'],
  'syntax-number': ['38;5;94'],
  'syntax-comment': ['38;5;238'],
  'syntax-title': ['38;5;18'],
  'syntax-type': ['38;5;18'],
};

export const PALETTES: Readonly<Record<PaletteName, Palette>> = {
  dark,
  light,
  'contrast-dark': contrastDark,
  'contrast-light': contrastLight,
  ansi16,
  none,
};

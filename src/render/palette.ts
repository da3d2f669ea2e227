/**
 * How meanings look. A palette gives each style a list of SGR parameters, one attribute each
 * (`1`, `38;5;12`). Without a colour code a palette may use bold, dim, italic, underline, strike, reverse only.
 */
import type { Style } from './row.ts';

export type Palette = Readonly<Record<Style, readonly string[]>>;

export type PaletteName = 'dark' | 'light' | 'ansi16' | 'none';

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
  user: [BOLD, '38;5;24'],
  'syntax-keyword': ['38;5;90'],
  'syntax-string': ['38;5;28'],
  'syntax-number': ['38;5;130'],
  'syntax-comment': ['38;5;242'],
  'syntax-title': ['38;5;25'],
  'syntax-type': ['38;5;30'],
};

export const PALETTES: Readonly<Record<PaletteName, Palette>> = { dark, light, ansi16, none };

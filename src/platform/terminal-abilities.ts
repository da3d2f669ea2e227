/** What the terminal can do, as far as the environment says. Pure. */

export type ColourDepth = 'none' | '16' | '256' | 'true';

export interface TerminalAbilities {
  /** `none` also when NO_COLOR is set and not empty: then no colour code may be written. */
  readonly colour: ColourDepth;
  /** OSC 8 links are shown, or at least swallowed. */
  readonly links: boolean;
  /** Pictures are drawn where their placeholder cells are (kitty's graphics protocol). */
  readonly pictures: boolean;
  /** The terminal moves no cursor: a full-screen program cannot run on it. */
  readonly dumb: boolean;
  /** Characters beyond ASCII are shown. */
  readonly unicode: boolean;
}

export type Environment = Readonly<Record<string, string | undefined>>;

const TRUE_COLOUR_PROGRAMS = new Set(['iTerm.app', 'WezTerm', 'vscode', 'ghostty', 'rio']);
const TRUE_COLOUR_TERMS = /^(xterm-kitty|xterm-ghostty|alacritty|foot|wezterm|contour)|-direct$/;

/** Returns what a terminal with this environment can do. */
export function terminalAbilities(env: Environment): TerminalAbilities {
  const term = env.TERM ?? '';
  const dumb = term === 'dumb';
  const isBasic = dumb || term === 'linux' || /^(vt\d|ansi)/.test(term);
  return {
    colour: colourDepth(env, term),
    links: !isBasic && term !== '',
    pictures: drawsPictures(env, term),
    dumb,
    unicode: hasUnicode(env, term),
  };
}

/** A multiplexer hands pictures on only when it is told to: taken as not able. */
function drawsPictures(env: Environment, term: string): boolean {
  if ((env.TMUX ?? env.STY ?? '') !== '' || (env.NO_COLOR ?? '') !== '') return false;
  return /^xterm-(kitty|ghostty)$/.test(term) || env.TERM_PROGRAM === 'ghostty';
}

function colourDepth(env: Environment, term: string): ColourDepth {
  if ((env.NO_COLOR ?? '') !== '' || term === 'dumb') return 'none';
  if (/^(truecolor|24bit)$/i.test(env.COLORTERM ?? '')) return 'true';
  if (TRUE_COLOUR_TERMS.test(term) || TRUE_COLOUR_PROGRAMS.has(env.TERM_PROGRAM ?? '')) return 'true';
  if (/256/.test(term)) return '256';
  if (term === '' || /^vt\d/.test(term)) return 'none';
  return '16';
}

/** A locale that names no character set (C, POSIX, none) says nothing about the terminal: taken as able. */
function hasUnicode(env: Environment, term: string): boolean {
  if (term === 'dumb' || term === 'linux') return false;
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG || '';
  const [, charset] = locale.split('.');
  return charset === undefined || /^utf-?8/i.test(charset);
}

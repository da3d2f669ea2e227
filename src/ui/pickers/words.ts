/** How choices are called. */
import { MODE_WORDS } from '../../transcript/mode-words.ts';
import type { ConfigProjection } from '../../wire/config.ts';
import type { PermissionMode } from '../../wire/session-protocol.ts';

interface ModeWords {
  /** In the header: what the agent does unasked. */
  readonly short: string;
  /** What it means; whole in a window of 80 columns. */
  readonly sentence: string;
}

export const MODES: Readonly<Record<PermissionMode, ModeWords>> = {
  default: {
    short: MODE_WORDS.default,
    sentence: 'edits here are free; anything else is asked about',
  },
  acceptEdits: {
    short: MODE_WORDS.acceptEdits,
    sentence: 'edits anywhere are free; commands are asked about',
  },
  plan: { short: MODE_WORDS.plan, sentence: 'reads; changes nothing, runs nothing' },
  bypassPermissions: {
    short: MODE_WORDS.bypassPermissions,
    sentence: 'changes and runs anything, never asks',
  },
};

/** What a mode means where the settings of this folder let commands run unasked: it must not promise to ask. */
export function modeWords(mode: PermissionMode, unasked: ConfigProjection['unasked']): ModeWords {
  const asksAboutCommands = mode === 'default' || mode === 'acceptEdits';
  if (!asksAboutCommands || unasked?.includes('bash') !== true) return MODES[mode];
  return {
    short: mode === 'default' ? 'runs commands unasked' : 'edits and runs commands unasked',
    sentence: 'this folder’s settings let commands run',
  };
}

/** In the order in which one key goes round; the one that asks nothing has to be chosen by name. */
const ROUND: readonly PermissionMode[] = ['default', 'acceptEdits', 'plan'];

export function nextMode(mode: PermissionMode): PermissionMode {
  return ROUND[(ROUND.indexOf(mode) + 1) % ROUND.length] ?? 'default';
}

const LEVELS: Readonly<Record<string, string>> = {
  default: 'as the model does it by itself',
  low: 'short: quick answers',
  medium: 'some',
  high: 'much: slower, for hard questions',
  x_high: 'very much',
  max: 'as much as the model can',
};

/** What a thinking level means; nothing for one that this version does not know. */
export function levelWords(level: string): string {
  return LEVELS[level] ?? '';
}

/** `x_high` is for machines. */
export function levelLabel(level: string): string {
  return level.replaceAll('_', ' ');
}

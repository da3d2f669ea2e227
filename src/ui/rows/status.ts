/** The last row of the chat: what happens now at the left, the keys that matter now at the right. */
import { type Row, type Span, span } from '../../render/row.ts';
import { spansWidth } from '../../render/row-builder.ts';
import type { State } from '../../store/state.ts';
import type { TurnTokens } from '../../transcript/live-turn.ts';
import { keyHint, keyName } from '../keys/bindings.ts';
import { bar } from './bar.ts';
import { clock, tokens } from './format.ts';
import { linkTrouble } from './link-trouble.ts';

export interface StatusInput {
  readonly state: State;
  /** A hint that replaces the state for a moment; empty for none. */
  readonly hint: string;
  /** The keys that matter instead of those for writing, the most needed last; null for these. */
  readonly keys?: readonly string[] | null;
  /** Unix time, ms. */
  readonly now: number;
}

/** Never wider than `width` cells; keys give way first, then counts. */
export function statusRow(input: StatusInput, width: number): Row {
  const left = leftSpans(input);
  const counts = input.hint === '' ? countSpans(input.state) : [];
  const full = [...left, ...counts];
  for (const hints of input.keys == null ? keyHints(input.state) : [input.keys.join('  ')]) {
    const keys = span(`${hints} `, 'dim');
    if (spansWidth(full) + spansWidth([keys]) + 2 <= width) return bar(width, full, [keys]);
  }
  // Keys that stand in for those of writing are news; counts are not.
  const fitting = fittingKeys(input.keys ?? [], width - spansWidth(left) - 2);
  if (fitting !== '') return bar(width, left, [span(fitting, 'dim')]);
  const shortKeys = span(`${keyHint('chat.help')} `, 'dim');
  if (spansWidth(full) + spansWidth([shortKeys]) + 2 <= width) return bar(width, full, [shortKeys]);
  if (spansWidth(left) + spansWidth([shortKeys]) + 2 <= width) return bar(width, left, [shortKeys]);
  return bar(width, left, []);
}

/** As many of the last keys as fit. */
function fittingKeys(keys: readonly string[], room: number): string {
  const starts = keys.map((_, index) => `${keys.slice(index).join('  ')} `);
  return starts.find((words) => spansWidth([span(words, 'dim')]) <= room) ?? '';
}

function leftSpans({ state, hint, now }: StatusInput): Span[] {
  if (hint !== '') return [span(` ${hint}`, 'warn')];
  const { live, outbox } = state;
  const trouble = linkSpans(state, now);
  if (trouble !== null) return trouble;
  const { passed } = state.edges;
  if (passed !== null)
    return [
      span(` ○ going to the beginning · ${passed.toLocaleString('en')} messages · `, 'dim'),
      span(`${keyName('transcript.row-down')} stays`, 'text'),
    ];
  if ((live?.envelopes?.questions.length ?? 0) > 0)
    return [span(' ? waiting for your answer', 'warn'), ...elapsed(state, now)];
  if (live !== null) {
    const word = live.stopping ? 'stopping' : 'working';
    const mark = live.relinks === 0 ? [] : [span(' ↯', 'dim')];
    return [span(` ◐ ${word}`, live.stopping ? 'warn' : 'accent'), ...elapsed(state, now), ...mark];
  }
  if (outbox.length > 0) return [span(' ◐ sending', 'accent')];
  if (state.session !== null && state.historyState === 'loading')
    return [span(' ○ reading the session…', 'dim')];
  return [span(' ● ready', 'good')];
}

/** A loss that heals by itself so fast is not worth a word, ms. */
const QUIET_MS = 800;

/** Null while there is a link, or as good as one. */
function linkSpans(state: State, now: number): Span[] | null {
  const { link } = state;
  switch (link.kind) {
    case 'connecting':
      if (state.service === null) return [span(' ○ connecting…', 'dim')];
      return now - link.since < QUIET_MS ? null : comingBack(state, now);
    case 'lost':
      if (state.service !== null && now - link.since < QUIET_MS) return null;
      // The reason stands above.
      return linkTrouble(link) === null ? comingBack(state, now) : [span(' ↯ no link', 'bad')];
    case 'refused':
      return [span(' ✗ no service', 'bad')];
    case 'ready':
      return null;
  }
}

function comingBack(state: State, now: number): Span[] {
  return [span(' ↯ link lost, coming back', 'warn'), ...elapsed(state, now)];
}

function elapsed(state: State, now: number): Span[] {
  return state.live === null ? [] : [span(` ${clock(now - state.live.startedAt)}`, 'dim')];
}

function countSpans(state: State): Span[] {
  const used = sum(state.totals, state.live?.tokens);
  const parts: string[] = [];
  if (used.input > 0) parts.push(`${tokens(used.input)} in`);
  if (used.output > 0) parts.push(`${tokens(used.output)} out`);
  if (used.cacheRead > 0) parts.push(`${tokens(used.cacheRead)} cached`);
  if (used.context !== null && used.window !== null && used.window > 0)
    parts.push(meter(used.context / used.window));
  return parts.length === 0 ? [] : [span(` · ${parts.join(' · ')}`, 'dim')];
}

function sum(totals: TurnTokens, live: TurnTokens | undefined): TurnTokens {
  if (live === undefined) return totals;
  return {
    input: totals.input + live.input,
    output: totals.output + live.output,
    cacheRead: totals.cacheRead + live.cacheRead,
    context: live.context ?? totals.context,
    window: live.window ?? totals.window,
  };
}

const METER_CELLS = 8;

function meter(share: number): string {
  const clamped = Math.min(1, Math.max(0, share));
  const filled = Math.round(clamped * METER_CELLS);
  return `context ${'▰'.repeat(filled)}${'▱'.repeat(METER_CELLS - filled)} ${Math.round(clamped * 100)}%`;
}

/** The hints that matter now, from the most to the fewest. */
function keyHints(state: State): readonly string[] {
  const help = keyHint('chat.help');
  const send = keyName('composer.send');
  if (state.link.kind === 'refused') return [`${send} try again  ${help}`];
  const toSend = keyHint('composer.send');
  if (state.live === null) return [`${toSend}  ${keyHint('chat.sessions')}  ${help}`, `${toSend}  ${help}`];
  const stop = `${keyHint('chat.stop')}  ${send} queue`;
  const steer = state.telling === 'envelopes' ? [`${stop}  ${keyHint('composer.steer')}  ${help}`] : [];
  return [...steer, `${stop}  ${help}`, `${keyHint('chat.stop')}  ${help}`];
}

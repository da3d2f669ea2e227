/** The last row of the chat: what happens now at the left, the keys that matter now at the right. */
import { type Row, type Span, span } from '../../render/row.ts';
import { spansWidth } from '../../render/row-builder.ts';
import { sanitiseLine } from '../../render/sanitise.ts';
import type { State } from '../../store/state.ts';
import type { TurnTokens } from '../../transcript/live-turn.ts';
import { keyHint, keyName } from '../keys/bindings.ts';
import { bar } from './bar.ts';
import { clock, tokens } from './format.ts';

export interface StatusInput {
  readonly state: State;
  /** A hint that replaces the state for a moment; empty for none. */
  readonly hint: string;
  /** Unix time, ms. */
  readonly now: number;
}

/** Never wider than `width` cells; keys give way first, then counts. */
export function statusRow(input: StatusInput, width: number): Row {
  const left = leftSpans(input);
  const counts = countSpans(input.state);
  const keys = span(`${keyHints(input.state)} `, 'dim');
  const full = [...left, ...counts];
  if (spansWidth(full) + spansWidth([keys]) + 2 <= width) return bar(width, full, [keys]);
  const shortKeys = span(`${keyHint('chat.help')} `, 'dim');
  if (spansWidth(full) + spansWidth([shortKeys]) + 2 <= width) return bar(width, full, [shortKeys]);
  if (spansWidth(left) + spansWidth([shortKeys]) + 2 <= width) return bar(width, left, [shortKeys]);
  return bar(width, left, []);
}

function leftSpans({ state, hint, now }: StatusInput): Span[] {
  if (hint !== '') return [span(` ${hint}`, 'warn')];
  const { live, outbox } = state;
  const trouble = linkSpans(state, now);
  if (trouble !== null) return trouble;
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
/** A loss that heals by itself needs no reason; one that does not, does. */
const TROUBLED_ATTEMPTS = 3;

/** Null while there is a link, or as good as one. */
function linkSpans(state: State, now: number): Span[] | null {
  const { link } = state;
  switch (link.kind) {
    case 'connecting':
      if (state.service === null) return [span(' ○ connecting…', 'dim')];
      return now - link.since < QUIET_MS ? null : comingBack(state, now);
    case 'lost':
      if (state.service !== null && now - link.since < QUIET_MS) return null;
      if (link.attempt < TROUBLED_ATTEMPTS) return comingBack(state, now);
      return [span(` ↯ ${sanitiseLine(`${link.sentence} ${link.next}`)}`, 'bad')];
    case 'refused':
      return [span(` ✗ ${sanitiseLine(`${link.sentence} ${link.next}`)}`, 'bad')];
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

function keyHints(state: State): string {
  const help = keyHint('chat.help');
  const send = keyName('composer.send');
  if (state.link.kind === 'refused') return `${send} try again  ${help}`;
  if (state.live !== null) return `${keyHint('chat.stop')}  ${send} queue  ${help}`;
  return `${keyHint('composer.send')}  ${keyHint('chat.sessions')}  ${help}`;
}

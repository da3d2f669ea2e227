/** The first row of the chat: title at the left; folder and what this session works with at the right. */
import { type Row, type Span, span } from '../../render/row.ts';
import { spansWidth } from '../../render/row-builder.ts';
import { sanitiseLine } from '../../render/sanitise.ts';
import { cellWidth, truncate } from '../../render/width.ts';
import type { State } from '../../store/state.ts';
import { isFast, nowInForce } from '../pickers/offers.ts';
import { levelLabel, MODES, modeWords } from '../pickers/words.ts';
import { bar } from './bar.ts';

/** Below so many columns the title stands alone, save for what nobody should overlook. */
const FACTS_FROM = 60;
/** Cells that a long title keeps. */
const TITLE_CELLS = 24;
/** Cells that a long model name keeps before it goes. */
const MODEL_CELLS = 24;

/** @param folder already shortened for display */
export function headerRow(state: State, folder: string, width: number): Row {
  const title = state.session === null ? 'New session' : sanitiseLine(state.session.title) || 'Untitled';
  const room = width - Math.min(TITLE_CELLS, cellWidth(title)) - 2;
  return bar(width, [span(` ${title}`, 'strong')], factsThatFit(state, sanitiseLine(folder), width, room));
}

/** What fits. The folder goes first, then the end of a long model name, the model next, and last what the agent does without asking. */
function factsThatFit(state: State, folder: string, width: number, room: number): Span[] {
  const { fast, level, mode, model } = answering(state);
  const other = state.session?.control === 'other' ? [span('read only', 'warn')] : [];
  const cutModel = model.map(({ style, text }) => span(truncate(text, MODEL_CELLS), style));
  const alarm = mode.filter(({ style }) => style === 'warn');
  const short = [[...alarm, ...other], alarm];
  const roomy = [
    [span(folder, 'dim'), ...model, ...level, ...fast, ...mode, ...other],
    [...model, ...level, ...fast, ...mode, ...other],
    [...model, ...mode, ...other],
    [...cutModel, ...mode, ...other],
    [...mode, ...other],
  ];
  const sets = (width < FACTS_FROM ? short : [...roomy, ...short]).map(joined);
  return sets.find((spans) => spansWidth(spans) <= room) ?? [];
}

function joined(parts: readonly Span[]): Span[] {
  const spans = parts.flatMap((part, index) => (index === 0 ? [part] : [span(' · ', 'dim'), part]));
  return spans.length === 0 ? [] : [...spans, span(' ', 'text')];
}

interface Answering {
  readonly model: readonly Span[];
  readonly level: readonly Span[];
  readonly fast: readonly Span[];
  readonly mode: readonly Span[];
}

/** Of this session, not of the settings. A level that the model lacks is named beside the one that holds. */
function answering(state: State): Answering {
  const { permissionMode, refusedLevel, selection, thinkingLevel } = nowInForce(state);
  const model = selection === null ? [] : [span(modelName(selection), 'dim')];
  const shown = refusedLevel === null ? thinkingLevel : `${refusedLevel} → ${thinkingLevel}`;
  const isPlain = shown === 'default' || selection === null;
  const level = isPlain
    ? []
    : [span(sanitiseLine(levelLabel(shown)), refusedLevel === null ? 'dim' : 'warn')];
  const fast = isFast(state) ? [span('fast', 'dim')] : [];
  if (state.telling !== 'envelopes') return { model, level, fast, mode: [] };
  const { short } = modeWords(permissionMode, state.config?.unasked);
  const isOpen = permissionMode === 'bypassPermissions' || short !== MODES[permissionMode].short;
  return { model, level, fast, mode: [span(short, isOpen ? 'warn' : 'dim')] };
}

function modelName({
  model_id,
  provider_id,
}: {
  readonly model_id: string;
  readonly provider_id: string;
}): string {
  return sanitiseLine(`${provider_id}/${model_id}`);
}

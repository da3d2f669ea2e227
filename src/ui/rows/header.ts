/** The first row of the chat: title at the left; folder, model and link at the right. */
import { type Row, type Span, span } from '../../render/row.ts';
import { sanitiseLine } from '../../render/sanitise.ts';
import type { State } from '../../store/state.ts';
import { bar } from './bar.ts';

/** @param folder already shortened for display */
export function headerRow(state: State, folder: string, width: number): Row {
  const title = state.session === null ? 'New session' : sanitiseLine(state.session.title) || 'Untitled';
  return bar(width, [span(` ${title}`, 'strong')], facts(state, folder, width));
}

/** What fits: the model always, the folder and the rest where there is room. */
function facts(state: State, folder: string, width: number): Span[] {
  if (width < 60) return [];
  const parts = [sanitiseLine(folder), ...answering(state)];
  const spans = [span(parts.join(' · '), 'dim')];
  if (state.session?.control === 'other') spans.push(span(' · read only', 'warn'));
  return [...spans, span(' ', 'text')];
}

function answering(state: State): string[] {
  const { config } = state;
  if (config === null) return [];
  const model = `${config.selection.provider_id}/${config.selection.model_id}`;
  return config.thinking_level === 'default' ? [model] : [model, config.thinking_level];
}

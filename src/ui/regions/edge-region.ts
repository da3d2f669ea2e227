/** The row above the talk: what lies before its first row, once that row is seen. */
import { BLANK_ROW, type Row, span } from '../../render/row.ts';
import type { State } from '../../store/state.ts';
import { keyName } from '../keys/bindings.ts';
import { bar } from '../rows/bar.ts';
import type { TalkWindow } from '../talk.ts';

export function edgeRow(state: State, window: TalkWindow, columns: number): Row {
  const words = window.total === 0 || window.top > 0 ? '' : edgeWords(state);
  return words === '' ? BLANK_ROW : bar(columns, [span(`   ${words}`, 'dim')], []);
}

function edgeWords({ edges, historyState }: State): string {
  switch (edges.above) {
    case 'more':
      return '↑ earlier messages';
    case 'reading':
      return '↑ earlier messages · loading…';
    case 'failed':
      return `↑ earlier messages could not be read · ${keyName('transcript.page-up')} tries again`;
    case 'beginning':
      return historyState === 'gap' ? GAP : 'The session begins here';
    case 'none':
      return historyState === 'gap' ? GAP : '';
  }
}

const GAP = 'Some older messages are missing';

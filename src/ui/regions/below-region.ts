/** What stands below the draft: messages that wait, and what the user should know. */
import { type Row, span } from '../../render/row.ts';
import { sanitiseLine } from '../../render/sanitise.ts';
import { textRows } from '../../render/wrap.ts';
import type { OutboxItem, State } from '../../store/state.ts';
import { bar } from '../rows/bar.ts';

const MAX_QUEUED_ROWS = 3;
/** Of one notice. */
export const MAX_NOTICE_ROWS = 3;

/** Messages that are not on their way this very moment. */
function waiting({ link, live, outbox }: State): readonly OutboxItem[] {
  if (live !== null || link.kind !== 'ready') return outbox;
  return outbox.filter((item) => item.state === 'uncertain');
}

export function queuedRows(state: State, columns: number): Row[] {
  const items = waiting(state);
  const shown = items.slice(0, MAX_QUEUED_ROWS);
  const more = items.length - shown.length;
  return shown.map((item, index) => {
    const right = index === shown.length - 1 && more > 0 ? [span(`+${more} more `, 'dim')] : [];
    const label =
      item.state === 'queued' ? span('   queued: ', 'accent') : span('   not confirmed yet: ', 'warn');
    return bar(columns, [label, span(sanitiseLine(item.text), 'dim')], right);
  });
}

/** What the user should know, whole where three rows hold it. */
export function noticeRows({ notice }: State, columns: number): Row[] {
  if (notice === null) return [];
  const indent = { first: [span('   ', 'text')], rest: [span('   ', 'text')] };
  return textRows(notice.text, notice.tone === 'warn' ? 'warn' : 'dim', columns, indent).slice(
    0,
    MAX_NOTICE_ROWS,
  );
}

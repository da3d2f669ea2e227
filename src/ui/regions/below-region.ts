/** What stands below the draft: messages that wait, and what the user should know. */
import { type Row, span } from '../../render/row.ts';
import { sanitiseLine } from '../../render/sanitise.ts';
import { textRows } from '../../render/wrap.ts';
import type { OutboxItem, State } from '../../store/state.ts';
import { keyHint } from '../keys/bindings.ts';
import { bar } from '../rows/bar.ts';
import { linkTrouble } from '../rows/link-trouble.ts';

/** The newest ones: they can be had back. */
const MAX_QUEUED_ROWS = 3;
/** From here on a row has room for keys. */
const ROOMY_COLUMNS = 72;
/** Of one notice. */
export const MAX_NOTICE_ROWS = 3;
const INDENT = { first: [span('   ', 'text')], rest: [span('   ', 'text')] };

/** Messages that are not on their way this very moment. */
function waiting({ link, live, outbox }: State): readonly OutboxItem[] {
  if (live !== null || link.kind !== 'ready') return outbox;
  return outbox.filter((item) => item.state === 'uncertain');
}

export function queuedRows(state: State, columns: number): Row[] {
  const items = waiting(state);
  const shown = items.slice(-MAX_QUEUED_ROWS);
  const before = items.length - shown.length;
  return shown.map((item, index) => {
    const label =
      item.state === 'queued' ? span('   queued: ', 'accent') : span('   not confirmed yet: ', 'warn');
    const right = [
      ...(index === 0 && before > 0 ? [`+${before} before`] : []),
      ...(index === shown.length - 1 && item.state === 'queued' && columns >= ROOMY_COLUMNS
        ? [keyHint('composer.edit-queued'), keyHint('composer.drop-queued')]
        : []),
    ];
    const end = right.length === 0 ? [] : [span(`${right.join('  ')} `, 'dim')];
    const files = item.attachments === undefined ? [] : [span(`  ▣ ${item.attachments.length}`, 'accent')];
    return bar(columns, [label, span(sanitiseLine(item.text), 'dim'), ...files], end);
  });
}

/** What the user should know, whole where three rows hold it. Without a service nothing else matters. */
export function noticeRows({ link, notice }: State, columns: number): Row[] {
  const trouble = linkTrouble(link);
  if (trouble !== null) return textRows(trouble, 'bad', columns, INDENT).slice(0, MAX_NOTICE_ROWS);
  if (notice === null) return [];
  const style = notice.tone === 'warn' ? 'warn' : 'dim';
  return textRows(notice.text, style, columns, INDENT).slice(0, MAX_NOTICE_ROWS);
}

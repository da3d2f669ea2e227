/** One thing in full, on the whole screen: what its keys do, and reading what the talk does not keep. */
import type { ToolBlock } from '../../transcript/blocks.ts';
import type { Desk, Handler } from '../desk.ts';
import type { CommandId } from '../keys/bindings.ts';
import { outputGoesOn } from '../reading/detail-content.ts';
import { SectionRows } from '../reading/pager-rows.ts';
import type { Detail, DetailTarget, OutputRead } from '../reading/reading.ts';
import { detailHeight, detailRowCount, detailText } from '../screens/detail.ts';
import { copyText } from './copy.ts';

/** Requests for one look further; each brings at most 12 KiB. */
const READS_AT_ONCE = 8;
/** More of an output is not shown here, bytes. */
const MAX_SHOWN_BYTES = 4_194_304;

/** Shows something in full; what the talk does not keep of it is read from the service. */
export function openDetail(desk: Desk, target: DetailTarget): void {
  const block = target.kind === 'block' ? desk.talk.block(target.id) : null;
  const goesOn = block?.kind === 'tool' && outputGoesOn(block);
  const output: OutputRead | null = goesOn ? { text: '', read: 0, total: 0, state: 'more' } : null;
  desk.view.update((seen) => ({ ...seen, detail: { target, top: 0, output, rows: new SectionRows() } }));
  readOn(desk);
}

export const runDetail: Handler = (command, desk) => {
  const { detail } = desk.view.getState();
  if (detail === null) return;
  switch (command) {
    case 'detail.close':
      desk.view.update((seen) => ({ ...seen, detail: null }));
      return;
    case 'detail.copy':
      copyText(desk, detailText({ state: desk.store.getState(), talk: desk.talk, detail }));
      return;
    default:
      scroll(desk, detail, command);
      if (command === 'detail.bottom') tryAgain(desk);
      readOn(desk);
  }
};

function scroll(desk: Desk, detail: Detail, command: CommandId): void {
  const [state, view] = [desk.store.getState(), desk.view.getState()];
  const height = detailHeight(view.size);
  const count = detailRowCount({ state, talk: desk.talk, detail }, view.size.columns);
  const most = Math.max(0, count - height);
  const at = Math.min(detail.top, most);
  const top = Math.min(most, Math.max(0, at + moveOf(command, Math.max(1, height - 1), count)));
  desk.view.update((seen) => (seen.detail === null ? seen : { ...seen, detail: { ...seen.detail, top } }));
}

function moveOf(command: CommandId, page: number, all: number): number {
  switch (command) {
    case 'detail.up':
      return -1;
    case 'detail.down':
      return 1;
    case 'detail.page-up':
      return -page;
    case 'detail.page-down':
      return page;
    case 'detail.top':
      return -all;
    case 'detail.bottom':
      return all;
    default:
      return 0;
  }
}

/** What could not be read may be readable now. */
function tryAgain({ view }: Desk): void {
  view.update((seen) =>
    seen.detail?.output?.state === 'failed'
      ? { ...seen, detail: { ...seen.detail, output: { ...seen.detail.output, state: 'more' } } }
      : seen,
  );
}

/** Reads more of an output once the reader is within two windows of what is read. */
function readOn(desk: Desk): void {
  const [state, view] = [desk.store.getState(), desk.view.getState()];
  const { detail } = view;
  if (detail === null || detail.output?.state !== 'more' || detail.target.kind !== 'block') return;
  const block = desk.talk.block(detail.target.id);
  if (block?.kind !== 'tool') return;
  const left = detailRowCount({ state, talk: desk.talk, detail }, view.size.columns) - detail.top;
  const isFar = left > detailHeight(view.size) * 3;
  // What the talk keeps need not be the start: it gives way at once.
  if (isFar && detail.output.read > 0) return;
  void readSome(desk, detail.rows, block, detail.output);
}

/** @param mark tells this look from another one at the same thing */
async function readSome(desk: Desk, mark: SectionRows, block: ToolBlock, from: OutputRead): Promise<void> {
  const show = (output: OutputRead): boolean => {
    if (desk.view.getState().detail?.rows !== mark) return false;
    desk.view.update((seen) =>
      seen.detail === null ? seen : { ...seen, detail: { ...seen.detail, output } },
    );
    return true;
  };
  let output: OutputRead = { ...from, state: 'reading' };
  if (!show(output)) return;
  for (let reads = 0; reads < READS_AT_ONCE; reads += 1) {
    const page = await desk.conversation.readOutput(block.call, output.read).catch(() => null);
    if (page === null) {
      show({ ...output, state: 'failed' });
      return;
    }
    const read = page.next ?? page.total;
    const isLast = page.next === null || read >= MAX_SHOWN_BYTES;
    output = { text: output.text + page.text, read, total: page.total, state: isLast ? 'all' : 'more' };
    if (isLast) break;
  }
  const present = desk.talk.block(block.id);
  // A tool that runs may print more.
  const isRunning = present?.kind === 'tool' && present.status === 'running';
  show(isRunning && output.read < MAX_SHOWN_BYTES ? { ...output, state: 'more' } : output);
}

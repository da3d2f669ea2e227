/** Puts files with the draft, and takes them off again. */
import { clipboardImage, keepImage } from '../../platform/clipboard-image.ts';
import { type LocalFile, localFile } from '../../platform/local-file.ts';
import type { AttachedFile } from '../../store/state.ts';
import { SESSION_PROTOCOL_LIMITS } from '../../wire/session-protocol.ts';
import { withInserted } from '../composer/draft.ts';
import { droppedPath, writtenPath } from '../composer/dropped-path.ts';
import type { Desk } from '../desk.ts';
import { bytes } from '../rows/format.ts';

const { max_attachment_bytes: MAX_BYTES, max_attachments_per_turn: MAX_FILES } = SESSION_PROTOCOL_LIMITS;

/** Puts the file of a path with the draft; where the service takes none, the path is put in as text. */
export function attachPath(written: string, desk: Desk): void {
  const { say, workspace } = desk;
  // The list of files writes an `@` in front.
  const path = writtenPath(written.trim().replace(/^@/, ''));
  const file = path === '' ? null : localFile(path, workspace);
  if (path === '') say('Which file? Write /attach and its path.');
  else if (file === null) say(`There is no file ${path} that can be read.`);
  else attachFile(file, 'kept', desk);
}

/** Takes a paste that is the path of an image; false when it is anything else. */
export function attachDropped(text: string, desk: Desk): boolean {
  const path = droppedPath(text);
  const file = path === null ? null : localFile(path, desk.workspace);
  if (file === null || file.kind !== 'image') return false;
  attachFile(file, 'kept', desk);
  return true;
}

/** Puts the image of the clipboard with the draft, or says why there is none. */
export async function attachClipboard(desk: Desk): Promise<void> {
  const { say } = desk;
  const found = await clipboardImage(process.env, process.platform);
  if (found.kind === 'none') say('There is no image on the clipboard.');
  else if (found.kind === 'no-helper')
    say('The clipboard cannot be read here: drop a file on the window, or write /attach and its path.');
  else {
    const file = localFile(keepImage(found.bytes), desk.workspace);
    if (file !== null) attachFile(file, 'temporary', desk);
  }
}

function attachFile(file: LocalFile, copy: 'kept' | 'temporary', desk: Desk): void {
  const { edit, say, store, view } = desk;
  const attachment: AttachedFile = { ...file, temporary: copy === 'temporary' };
  const { service, telling } = store.getState();
  const { attachments } = view.getState();
  if (service !== null && telling !== 'envelopes') {
    say('This service takes no files: the path stands in the draft.');
    edit((seen) => withInserted(seen, `${namedFile(file.path)} `, 'typed'));
  } else if (attachments.some(({ path }) => path === file.path)) say(`${file.name} is there already.`);
  else if (attachments.length >= MAX_FILES) say(`A message takes at most ${MAX_FILES} files.`);
  else if (file.size > MAX_BYTES)
    say(`${file.name} has ${bytes(file.size)}: a file may have ${bytes(MAX_BYTES)}.`);
  else edit((seen) => ({ ...seen, attachments: [...seen.attachments, attachment] }));
}

function namedFile(path: string): string {
  return /\s/u.test(path) ? `@"${path}"` : `@${path}`;
}

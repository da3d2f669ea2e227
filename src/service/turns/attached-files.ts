/** Attached files as the model gets them (PROTOCOL.md, "Session profile"): a note with a place, and the image itself. */
import type { AttachmentStore } from '../profile/attachment-store.ts';
import type { FileForModel } from './history.ts';
import type { FileEvent } from './turn-record.ts';

export function fileForModel(
  file: FileEvent,
  attachments: Pick<AttachmentStore, 'noteOf' | 'pathOf'>,
): FileForModel {
  const path = file.image === undefined ? null : attachments.pathOf(file.ref);
  return { note: attachments.noteOf(file), image: path === null ? null : { name: file.name, path } };
}

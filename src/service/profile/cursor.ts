/**
 * A place in a session file: where an envelope's line begins, and the envelope's ID as the proof
 * (PROTOCOL.md, "Session profile"). Opaque to clients; survives restart and append, and nothing else.
 */
export interface Place {
  /** Byte of the file at which the line begins. */
  readonly offset: number;
  readonly id: string;
}

const CURSOR = /^e1_(\d{1,15})_([a-z][0-9a-z]{1,31})$/;

export function cursorOf({ id, offset }: Place): string {
  return `e1_${offset}_${id}`;
}

/** Null for anything that was never one of our cursors. */
export function placeOf(cursor: string): Place | null {
  const [, offset, id] = CURSOR.exec(cursor) ?? [];
  return offset === undefined || id === undefined ? null : { offset: Number(offset), id };
}

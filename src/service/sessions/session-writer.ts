/**
 * The one writer of a session file (PROTOCOL.md, "Session envelopes").
 * Invariants: only the holder of the lease has one; every envelope is one write; a write that did not
 * succeed as a whole is cut off again before the next one, so that at most the last line can be torn.
 * What a dead writer left behind is put right on opening: a torn line goes, with a notice; a turn without
 * an end gets one.
 */
import { closeSync, constants, fstatSync, fsync, ftruncateSync, openSync, writeSync } from 'node:fs';
import { type Envelope, envelopeId } from '../../transcript/envelope.ts';
import { formatLine } from '../../transcript/jsonl.ts';
import { cursorOf } from '../profile/cursor.ts';
import { readWindow, type SessionWindow } from './session-window.ts';

/** Is told of every envelope once it is in the file, and where. */
export type Appended = (envelope: Envelope, cursor: string) => void;

export class SessionWriter {
  readonly #descriptor: number;
  /** Bytes up to the end of the last whole line. */
  #end: number;
  /** Bytes of a failed write may stand behind the end. */
  #dirty: boolean;
  #open = true;
  #appended: Appended = () => undefined;

  private constructor(descriptor: number, window: SessionWindow) {
    this.#descriptor = descriptor;
    this.#end = window.wholeBytes;
    this.#dirty = window.tornBytes > 0;
  }

  /** Null when the file cannot be read as a session or cannot be written. */
  static open(path: string, sessionId: string, now: number): SessionWriter | null {
    const window = readWindow(path, sessionId);
    if (window === null) return null;
    let descriptor: number;
    try {
      descriptor = openSync(path, constants.O_RDWR | constants.O_NOFOLLOW);
    } catch {
      return null;
    }
    const writer = new SessionWriter(descriptor, window);
    for (const envelope of repairs(window, now)) writer.append(envelope);
    return writer;
  }

  /** The one listener. What was put right on opening is not told. */
  listen(appended: Appended): void {
    this.#appended = appended;
  }

  /** False when the envelope is not in the file. */
  append(envelope: Envelope): boolean {
    if (!this.#open) return false;
    const line = Buffer.from(formatLine(envelope), 'utf8');
    try {
      if (this.#dirty) ftruncateSync(this.#descriptor, this.#end);
      this.#dirty = true;
      if (writeSync(this.#descriptor, line, 0, line.length, this.#end) !== line.length) return false;
      this.#dirty = false;
    } catch {
      return false;
    }
    const cursor = cursorOf({ offset: this.#end, id: envelope.id });
    this.#end += line.length;
    this.#appended(envelope, cursor);
    return true;
  }

  /** Whether the file still has a name: what is written to a removed one is lost. */
  get isThere(): boolean {
    try {
      return this.#open && fstatSync(this.#descriptor).nlink > 0;
    } catch {
      return false;
    }
  }

  /** Whether everything appended so far is on the disk, in a file that still has a name. */
  async sync(): Promise<boolean> {
    if (!this.#open) return false;
    const failed = await new Promise<boolean>((resolve) =>
      fsync(this.#descriptor, (error) => resolve(error !== null)),
    );
    return !failed && this.isThere;
  }

  close(): void {
    if (!this.#open) return;
    this.#open = false;
    closeSync(this.#descriptor);
  }
}

function repairs(window: SessionWindow, now: number): Envelope[] {
  const found: Envelope[] = [];
  if (window.tornBytes > 0) {
    const text = 'The last record of this session was cut off and has been dropped.';
    found.push({ id: envelopeId(), time: now, role: 'agent', ev: { t: 'service', kind: 'notice', text } });
  }
  const turn = openTurn(window);
  if (turn !== null) {
    const error = { code: 'internal_error', message: 'The service ended before the turn did.' };
    const ev = { t: 'turn-end', status: 'failed', error } as const;
    found.push({ id: envelopeId(), time: now, role: 'agent', turn, ev });
  }
  return found;
}

/** The turn that was begun and not ended, if there is one. */
export function openTurn(window: SessionWindow): string | null {
  let turn: string | null = null;
  for (const { ev, role, turn: id } of window.envelopes) {
    if (role === 'agent' && id !== undefined) turn = ev.t === 'turn-end' ? null : id;
  }
  return turn;
}

/**
 * A copy of a session up to some envelope (PROTOCOL.md, "Session profile").
 * Invariants: a copy never ends within a turn: what belongs to a turn without an end is left out, the prompt
 * included; records are copied as they stand, those that nobody understands too; the copy appears whole or not.
 */
import { closeSync, constants, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { readEnvelope } from '../../transcript/envelope.ts';
import { formatLine, parseLine, type SessionHeader } from '../../transcript/jsonl.ts';
import { endAt, jsonOf } from './envelope-page.ts';
import type { SessionLines } from './session-lines.ts';

/** Byte up to which is copied; null when the cursor does not fit. */
export function forkEnd(lines: SessionLines, through: string | null): number | null {
  const to = through === null ? lines.end : endAt(lines, through);
  if (to === null) return null;
  let isOpen = false;
  for (const { end, text } of lines.backward(to)) {
    const envelope = readEnvelope(jsonOf(text));
    if (envelope === null) continue;
    if (envelope.ev.t === 'turn-end') return isOpen ? end : to;
    if (envelope.turn !== undefined) isOpen = true;
  }
  return isOpen ? lines.start : to;
}

/** Writes the copy durably. @throws when that is impossible */
export function writeFork(
  lines: SessionLines,
  end: number,
  target: { readonly path: string; readonly id: string; readonly now: number; readonly workspace: string },
): void {
  const { id: session_id, now, path, workspace } = target;
  const draft = `${path}.new`;
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  const descriptor = openSync(draft, flags, 0o600);
  try {
    const original = headerOf(lines);
    const header: SessionHeader = {
      format: 'magi-term-session',
      version: 1,
      session_id,
      created_at: now,
      workspace: original?.workspace ?? workspace,
    };
    writeAll(descriptor, Buffer.from(formatLine(header), 'utf8'));
    for (const bytes of lines.range(lines.start, end)) writeAll(descriptor, bytes);
    fsyncSync(descriptor);
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  } finally {
    closeSync(descriptor);
  }
}

function headerOf(lines: SessionLines): SessionHeader | null {
  const line = parseLine(lines.forward(0).next().value?.text ?? '');
  return line.kind === 'header' ? line.header : null;
}

function writeAll(descriptor: number, bytes: Buffer): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(descriptor, bytes, done, bytes.length - done);
}

/** Sessions as things on a shelf: `session.rename`, `session.fork`, `session.archive` (PROTOCOL.md, "Session profile"). */
import { randomUUID } from 'node:crypto';
import { type Envelope, envelopeId } from '../../transcript/envelope.ts';
import { archiveRequest, forkRequest, renameRequest } from '../../wire/session-protocol.ts';
import type { Clock } from '../clock.ts';
import type { Actors } from '../coordinator/actors.ts';
import { done, fail, type MutationCall, type Reply, refuse } from '../coordinator/reply.ts';
import type { Log } from '../log.ts';
import { isSessionId, type SessionFolder } from '../sessions/session-folder.ts';
import { SessionWriter } from '../sessions/session-writer.ts';
import { forkEnd, writeFork } from './session-fork.ts';
import { SessionLines } from './session-lines.ts';
import type { SessionRollups } from './session-rollup.ts';
import { plainLine } from './snippet.ts';
import type { ToolOutputs } from './tool-outputs.ts';

export interface ShelfOptions {
  readonly actors: Actors;
  readonly folder: SessionFolder;
  readonly rollups: SessionRollups;
  readonly outputs: ToolOutputs;
  readonly workspace: string;
  readonly clock: Clock;
  readonly log: Log;
}

const MAX_TITLE_CHARACTERS = 200;

export class ShelfOperations {
  readonly #options: ShelfOptions;

  constructor(options: ShelfOptions) {
    this.#options = options;
  }

  rename(call: MutationCall): Reply {
    const actor = this.#options.actors.controlled(call);
    if (actor === null) return refuse('stale_grant');
    const parsed = renameRequest.safeParse(call.request.payload);
    const title = plainLine(parsed.data?.title ?? '');
    if (title === '') return refuse('invalid_payload');
    if ([...title].length > MAX_TITLE_CHARACTERS) return refuse('limit_exceeded');
    const { sessionId: session_id } = actor;
    const isSaved = actor.writer.append(this.#notice('The session was given a name.', { title }));
    return isSaved ? done({ session_id, title }) : fail('persistence_failed');
  }

  /** A copy is no turn's business: it is made while the original is at work, too. */
  fork({ request }: MutationCall): Reply {
    const { clock, folder, log, outputs, rollups, workspace } = this.#options;
    const parsed = forkRequest.safeParse(request.payload);
    if (!parsed.success) return refuse('invalid_payload');
    const from = request.session_id ?? '';
    if (!isSessionId(from)) return refuse('invalid_session_id');
    const lines = SessionLines.open(folder.path(from), from);
    if (lines === null) return refuse('session_unavailable');
    const id = randomUUID();
    try {
      const end = forkEnd(lines, parsed.data.through);
      if (end === null) return refuse('resource_not_found');
      writeFork(lines, end, { path: folder.path(id), id, now: clock.now(), workspace });
    } catch (error) {
      log.error('a session could not be copied', { reason: String(error) });
      return fail('session_unavailable');
    } finally {
      lines.close();
    }
    outputs.share(from, id);
    if (rollups.of(id).archived) this.#append(id, this.#archived(false));
    return done({ session_id: id }, { session_id: id });
  }

  archive({ request }: MutationCall): Reply {
    const { actors, folder, rollups } = this.#options;
    const parsed = archiveRequest.safeParse(request.payload);
    if (!parsed.success) return refuse('invalid_payload');
    const session_id = request.session_id ?? '';
    if (!isSessionId(session_id)) return refuse('invalid_session_id');
    const actor = actors.find(session_id);
    if (actor !== null) return refuse(actor.controller === null ? 'session_busy' : 'session_controlled');
    if (!folder.exists(session_id)) return refuse('session_unavailable');
    const lease = folder.lease(session_id);
    if (lease.kind !== 'held') return refuse(lease.kind === 'busy' ? 'session_busy' : 'session_unavailable');
    try {
      const { archived } = parsed.data;
      const isSo = rollups.of(session_id).archived === archived;
      if (!isSo && !this.#append(session_id, this.#archived(archived))) return fail('persistence_failed');
      return done({ session_id, archived });
    } finally {
      lease.lock.release();
    }
  }

  /** Into a session that nobody holds. False when it is not in the file. */
  #append(id: string, envelope: Envelope): boolean {
    const { clock, folder } = this.#options;
    const writer = SessionWriter.open(folder.path(id), id, clock.now());
    const isSaved = writer?.append(envelope) ?? false;
    writer?.close();
    return isSaved;
  }

  #archived(archived: boolean): Envelope {
    const text = archived ? 'The session was archived.' : 'The session was taken back from the archive.';
    return this.#notice(text, { archived });
  }

  /** A notice with a member of our own, which others ignore. */
  #notice(text: string, more: { title: string } | { archived: boolean }): Envelope {
    const ev = { t: 'service', kind: 'notice', text, ...more } as const;
    return { id: envelopeId(), time: this.#options.clock.now(), role: 'agent', ev };
  }
}

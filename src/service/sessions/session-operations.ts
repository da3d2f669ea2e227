/** `session.*` (PROTOCOL.md, "Sessions", "Claim", "Replay"). */
import { randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import { empty } from '../../wire/fields.ts';
import { LIMITS } from '../../wire/limits.ts';
import { listRequest, type PageRequest, pageRequest } from '../../wire/session.ts';
import { SERVICE_LIMITS } from '../bounds.ts';
import type { Clock } from '../clock.ts';
import type { Actors } from '../coordinator/actors.ts';
import {
  answer,
  type Call,
  done,
  fail,
  type MutationCall,
  type Reply,
  refuse,
} from '../coordinator/reply.ts';
import type { Log } from '../log.ts';
import type { SessionRollups } from '../profile/session-rollup.ts';
import { pageOf } from './replay-page.ts';
import { type Projection, project } from './replay-projection.ts';
import { isSessionId, type SessionFolder } from './session-folder.ts';
import { listSessions } from './session-list.ts';
import { readWindow } from './session-window.ts';
import { openTurn } from './session-writer.ts';

export interface SessionOperationsOptions {
  readonly actors: Actors;
  readonly folder: SessionFolder;
  readonly rollups: SessionRollups;
  readonly workspace: string;
  readonly clock: Clock;
  readonly log: Log;
}

interface Projected {
  readonly stamp: string;
  readonly projection: Projection;
  readonly gap: boolean;
}

/** Sessions whose projection is kept for the next page. */
const KEPT_PROJECTIONS = 4;

export class SessionOperations {
  readonly #options: SessionOperationsOptions;
  readonly #projected = new Map<string, Projected>();

  constructor(options: SessionOperationsOptions) {
    this.#options = options;
  }

  list({ connection, request }: Call): Reply {
    const page = (connection.profile ? listRequest : pageRequest).safeParse(request.payload);
    if (!page.success) return refuse('invalid_payload');
    const { folder, rollups } = this.#options;
    const listing = listSessions(folder, rollups, { ...page.data, withAbout: connection.profile });
    return listing.ok ? answer(listing.page) : refuse(listing.code);
  }

  create({ request }: MutationCall): Reply {
    const { actors, clock, folder, log, workspace } = this.#options;
    if (!empty.safeParse(request.payload).success) return refuse('invalid_payload');
    if (actors.size >= SERVICE_LIMITS.max_session_attachments) return refuse('limit_exceeded');
    const session_id = randomUUID();
    try {
      folder.create(session_id, workspace, clock.now());
    } catch (error) {
      log.error('a session could not be created', { reason: String(error) });
      return fail('session_unavailable', { session_id: null });
    }
    return done({ session_id }, { session_id });
  }

  active({ request }: Call): Reply {
    if (!empty.safeParse(request.payload).success) return refuse('invalid_payload');
    return answer({ sessions: this.#options.actors.active() });
  }

  claim({ connection, request }: MutationCall): Reply {
    if (!empty.safeParse(request.payload).success) return refuse('invalid_payload');
    const claim = this.#options.actors.claim(connection, request.session_id ?? '');
    return claim.ok ? done(claim.result) : refuse(claim.code);
  }

  detach({ connection, request }: MutationCall): Reply {
    const { actors } = this.#options;
    const actor = actors.controlled({ connection, request });
    if (actor === null) return refuse('stale_grant');
    if (!empty.safeParse(request.payload).success) return refuse('invalid_payload');
    actors.revoke(actor);
    return done({ status: 'detached' });
  }

  replay({ request }: Call): Reply {
    const id = request.session_id ?? '';
    if (!isSessionId(id)) return refuse('invalid_session_id');
    const page = pageRequest.safeParse(request.payload);
    if (!page.success) return refuse('invalid_payload');
    const { after, limit } = boundsOf(page.data);
    const tooLong = after !== null && Buffer.byteLength(after) > LIMITS.max_id_bytes;
    if (limit < 1 || limit > LIMITS.max_session_page_items || tooLong) return refuse('limit_exceeded');
    const projected = this.#projection(id);
    if (projected === null) return refuse('session_unavailable');
    return answer(pageOf(projected.projection, { after, limit, gap: projected.gap }));
  }

  /** Pages of one session are usually read one after the other: the file is read once for all of them. */
  #projection(id: string): Projected | null {
    const { actors, folder } = this.#options;
    const path = folder.path(id);
    const isWorking = actors.find(id)?.turn !== undefined && actors.find(id)?.turn !== null;
    const stamp = `${stampOf(path)} ${isWorking}`;
    const kept = this.#projected.get(id);
    if (kept?.stamp === stamp) return kept;
    const window = readWindow(path, id);
    this.#projected.delete(id);
    if (window === null) return null;
    const open = openTurn(window);
    const running = open !== null && (isWorking || folder.isLeased(id)) ? open : null;
    const projection = project(id, window.envelopes, running);
    const projected = { stamp, projection, gap: window.gap };
    if (this.#projected.size >= KEPT_PROJECTIONS) this.#projected.clear();
    if (running === null) this.#projected.set(id, projected);
    return projected;
  }
}

function boundsOf({ after, limit }: PageRequest): { after: string | null; limit: number } {
  return { after: after ?? null, limit: limit ?? LIMITS.max_session_page_items };
}

function stampOf(path: string): string {
  try {
    const { ino, mtimeNs, size } = statSync(path, { bigint: true });
    return `${ino} ${size} ${mtimeNs}`;
  } catch {
    return 'none';
  }
}

/** Reading what sessions hold: `session.envelopes`, `session.search`, `tool.output` (PROTOCOL.md, "Session profile"). */
import { byteLength } from '../../wire/json.ts';
import { LIMITS } from '../../wire/limits.ts';
import {
  envelopesRequest,
  SESSION_PROTOCOL_LIMITS,
  searchRequest,
  toolOutputRequest,
} from '../../wire/session-protocol.ts';
import { answer, type Call, type Reply, refuse } from '../coordinator/reply.ts';
import { isSessionId, type SessionFolder } from '../sessions/session-folder.ts';
import { titleFrom } from '../sessions/session-list.ts';
import { envelopePage } from './envelope-page.ts';
import { SessionLines } from './session-lines.ts';
import type { SessionRollups } from './session-rollup.ts';
import { searchSessions } from './session-search.ts';
import type { ToolOutputs } from './tool-outputs.ts';

export interface HistoryOptions {
  readonly folder: SessionFolder;
  readonly rollups: SessionRollups;
  readonly outputs: ToolOutputs;
}

const MAX_QUERY_LETTERS = 200;

export class HistoryOperations {
  readonly #options: HistoryOptions;

  constructor(options: HistoryOptions) {
    this.#options = options;
  }

  envelopes({ request }: Call): Reply {
    const parsed = envelopesRequest.safeParse(request.payload);
    if (!parsed.success) return refuse('invalid_payload');
    const { after = null, before = null, limit = SESSION_PROTOCOL_LIMITS.max_page_items } = parsed.data;
    if (after !== null && before !== null) return refuse('invalid_payload');
    const id = request.session_id ?? '';
    if (!isSessionId(id)) return refuse('invalid_session_id');
    if (limit < 1 || limit > SESSION_PROTOCOL_LIMITS.max_page_items) return refuse('limit_exceeded');
    const lines = SessionLines.open(this.#options.folder.path(id), id);
    if (lines === null) return refuse('session_unavailable');
    try {
      return answer(envelopePage(lines, { after, before, limit }));
    } finally {
      lines.close();
    }
  }

  search({ request }: Call): Reply {
    const parsed = searchRequest.safeParse(request.payload);
    if (!parsed.success) return refuse('invalid_payload');
    const { after = null, limit = SESSION_PROTOCOL_LIMITS.max_page_items } = parsed.data;
    const query = parsed.data.query.trim();
    if (query === '') return refuse('invalid_payload');
    const isLimit = limit >= 1 && limit <= SESSION_PROTOCOL_LIMITS.max_page_items;
    if (!isLimit || [...query].length > MAX_QUERY_LETTERS) return refuse('limit_exceeded');
    const { folder, rollups } = this.#options;
    const titleOf = (id: string): string | null => titleFrom(folder.path(id), rollups.of(id).title);
    const isArchived = (id: string): boolean => rollups.of(id).archived;
    const page = searchSessions(folder, { query, after, limit, titleOf, isArchived });
    return page === null ? refuse('limit_exceeded') : answer(page);
  }

  output({ request }: Call): Reply {
    const parsed = toolOutputRequest.safeParse(request.payload);
    if (!parsed.success) return refuse('invalid_payload');
    const { call, limit, offset } = parsed.data;
    const id = request.session_id ?? '';
    if (!isSessionId(id)) return refuse('invalid_session_id');
    if (limit < 1 || byteLength(call) > LIMITS.max_id_bytes) return refuse('limit_exceeded');
    if (!this.#options.folder.exists(id)) return refuse('session_unavailable');
    const range = this.#options.outputs.read(id, call, { offset, limit });
    return range === null ? refuse('resource_not_found') : answer({ call, ...range });
  }
}

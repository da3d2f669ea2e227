/** The operations of the session profile, for connections that negotiated it and nobody else (PROTOCOL.md, "Session profile"). */
import type { ProfileMethod } from '../../wire/operations.ts';
import { type Call, type MutationCall, type Reply, refuse } from '../coordinator/reply.ts';
import { HistoryOperations, type HistoryOptions } from './history-operations.ts';
import { LiveOperations, type LiveOptions } from './live-operations.ts';
import { ShelfOperations, type ShelfOptions } from './shelf-operations.ts';

export class ProfileOperations {
  readonly #history: HistoryOperations;
  readonly #shelf: ShelfOperations;
  readonly #live: LiveOperations;

  constructor(options: HistoryOptions & LiveOptions & ShelfOptions) {
    this.#history = new HistoryOperations(options);
    this.#shelf = new ShelfOperations(options);
    this.#live = new LiveOperations(options);
  }

  read(call: Call, method: ProfileMethod): Reply {
    if (!call.connection.profile) return refuse('unsupported_capability');
    switch (method) {
      case 'session.envelopes':
        return this.#history.envelopes(call);
      case 'session.search':
        return this.#history.search(call);
      case 'tool.output':
        return this.#history.output(call);
      default:
        return refuse('internal_error');
    }
  }

  mutate(call: MutationCall, method: ProfileMethod): Reply | Promise<Reply> {
    if (!call.connection.profile) return refuse('unsupported_capability');
    switch (method) {
      case 'session.rename':
        return this.#shelf.rename(call);
      case 'session.fork':
        return this.#shelf.fork(call);
      case 'session.archive':
        return this.#shelf.archive(call);
      case 'session.configure':
        return this.#live.configure(call);
      case 'session.attach_file':
        return this.#live.attach(call);
      case 'turn.steer':
        return this.#live.steer(call);
      case 'turn.permission_response':
        return this.#live.respond(call);
      default:
        return refuse('internal_error');
    }
  }
}

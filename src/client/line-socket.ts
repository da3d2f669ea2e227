/**
 * A Unix socket that speaks in lines (PROTOCOL.md, "Records").
 * Invariants: lines are handed over in order, never after the end, and none is lost when the sink changes;
 * a sink that answers `yield` gets the next line only after all promises that it settled have been seen.
 */
import { createConnection, type Socket } from 'node:net';
import { type Frame, LineFramer } from '../wire/framing.ts';
import { LIMITS } from '../wire/limits.ts';
import { errnoOf } from './endpoint.ts';
import { localFailure, type WireFailure } from './failure.ts';

export type LineEnd = 'closed' | 'oversize';

export interface LineSink {
  line(bytes: Uint8Array): 'go-on' | 'yield';
  /** Called once. */
  end(cause: LineEnd): void;
}

export class LineSocket {
  readonly #socket: Socket;
  readonly #framer = new LineFramer(LIMITS.max_record_bytes);
  #frames: Frame[] = [];
  #sink: LineSink | null = null;
  #state: 'open' | 'closed' | 'done' = 'open';
  #yielding = false;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', (chunk) => {
      this.#frames.push(...this.#framer.push(chunk));
      this.#drain();
    });
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      if (this.#state === 'open') this.#state = 'closed';
      this.#drain();
    });
  }

  /** From now on lines go to this sink, those that came before first. */
  listen(sink: LineSink): void {
    this.#sink = sink;
    this.#drain();
  }

  /** The next line, or why there is none. Later lines are kept for the next sink. */
  take(): Promise<Uint8Array | LineEnd> {
    return new Promise((resolve) => {
      this.listen({
        line: (bytes) => {
          this.#sink = null;
          resolve(bytes);
          return 'yield';
        },
        end: resolve,
      });
    });
  }

  write(bytes: Buffer): void {
    if (this.#state === 'open' && this.#socket.writable) this.#socket.write(bytes);
  }

  /** Ends it from this side; the sink hears nothing more. */
  destroy(): void {
    this.#state = 'done';
    this.#frames = [];
    this.#socket.destroy();
  }

  #drain(): void {
    while (this.#sink !== null && !this.#yielding && this.#state !== 'done') {
      const frame = this.#frames.shift();
      if (frame === undefined) {
        if (this.#state === 'closed') this.#finish(this.#sink, 'closed');
        return;
      }
      if (frame.kind === 'too-long') {
        this.#finish(this.#sink, 'oversize');
        return;
      }
      if (this.#sink.line(frame.bytes) === 'yield') this.#yield();
    }
  }

  #yield(): void {
    this.#yielding = true;
    this.#socket.pause();
    setImmediate(() => {
      this.#yielding = false;
      this.#socket.resume();
      this.#drain();
    });
  }

  #finish(sink: LineSink, cause: LineEnd): void {
    this.destroy();
    sink.end(cause);
  }
}

/**
 * Connects to a socket that `checkEndpoint` has accepted.
 * @throws WireFailure endpoint_absent, endpoint_stale, endpoint_not_socket, endpoint_unsafe, endpoint_silent, endpoint_closed
 */
export function connectLineSocket(path: string, timeoutMs: number): Promise<LineSocket> {
  return new Promise((resolve, reject) => {
    const socket = createConnection({ path });
    const timer = setTimeout(() => fail(localFailure('endpoint_silent')), timeoutMs);
    const fail = (failure: WireFailure) => {
      clearTimeout(timer);
      socket.destroy();
      reject(failure);
    };
    const onError = (error: Error) => fail(connectFailure(error));
    socket.once('error', onError);
    socket.once('connect', () => {
      clearTimeout(timer);
      socket.off('error', onError);
      resolve(new LineSocket(socket));
    });
  });
}

function connectFailure(error: Error): WireFailure {
  switch (errnoOf(error)) {
    case 'ENOENT':
      return localFailure('endpoint_absent');
    case 'ECONNREFUSED':
      return localFailure('endpoint_stale');
    case 'ENOTSOCK':
    case 'EPROTOTYPE':
      return localFailure('endpoint_not_socket');
    case 'EACCES':
    case 'EPERM':
      return localFailure('endpoint_unsafe', 'The socket may not be opened.');
    case 'EAGAIN':
      return localFailure('endpoint_silent', 'The service does not accept connections at the moment.');
    default:
      return localFailure('endpoint_closed');
  }
}

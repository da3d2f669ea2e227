/** The one error of this room (PROTOCOL.md, "Errors"): a stable code, a sentence for people, a next step. Never quotes content. */
import { explain } from '../wire/errors.ts';
import type { WireError } from '../wire/fields.ts';

interface FailureParts {
  /** Stable: an error code of the wire, or one of `LocalCode`. */
  readonly code: string;
  /** What happened, for people. */
  readonly sentence: string;
  /** What to do next, for people. */
  readonly next: string;
  /** See `WireFailure`; false when absent. */
  readonly uncertain?: boolean;
}

export class WireFailure extends Error {
  readonly code: string;
  readonly sentence: string;
  readonly next: string;
  /** A mutation was sent and its outcome is unknown: look it up, never send it again unasked. */
  readonly uncertain: boolean;

  constructor(parts: FailureParts) {
    super(parts.sentence);
    this.name = 'WireFailure';
    this.code = parts.code;
    this.sentence = parts.sentence;
    this.next = parts.next;
    this.uncertain = parts.uncertain ?? false;
  }
}

const START = 'Start the service, then try again.';
const RESTART = 'Restart the service; report this if it comes back.';

/** Failures that are found on this side of the socket. */
const LOCAL = {
  endpoint_absent: ['No service is running for this folder.', START],
  endpoint_stale: ['The service is gone; only its socket is left.', START],
  endpoint_not_socket: [
    'Something else lies where the socket should be.',
    'Remove it, then start the service.',
  ],
  endpoint_unsafe: ['The socket is not private.', 'Only you may own and open it: check its owner and mode.'],
  endpoint_path_too_long: ['The path of the socket is too long.', 'Use a shorter path.'],
  endpoint_silent: ['The service does not answer.', 'Wait, or restart the service.'],
  endpoint_closed: [
    'The service closed the connection.',
    'Close another window (16 may be open), or restart the service.',
  ],
  version_mismatch: [
    'The service has another version.',
    'Stop the service when it is idle, then start it again.',
  ],
  endpoint_outdated: [
    'A service of another version still works.',
    'It ends once it is idle: this window tries again by itself. Close other windows of this folder.',
  ],
  preflight_refused: ['The service cannot be used.', 'Update magi-term or the service.'],
  protocol_violation: ['The service broke the protocol.', RESTART],
  link_lost: ['The link to the service ended.', 'The link is opened again; check what happened meanwhile.'],
  request_abandoned: ['The request was given up.', 'Try again.'],
  closed: ['The connection was closed here.', 'Nothing to do.'],
  unexpected: ['Something unexpected failed.', 'See the log; report this if it comes back.'],
} as const satisfies Record<string, readonly [sentence: string, next: string]>;

export type LocalCode = keyof typeof LOCAL;

/** A local failure; `sentence` replaces the general one where more is known. */
export function localFailure(code: LocalCode, sentence: string = LOCAL[code][0]): WireFailure {
  return new WireFailure({ code, sentence, next: LOCAL[code][1] });
}

/** Whether a request that got no response may have had an effect. */
export type Certainty = 'certain' | 'uncertain';

/** An open request without a response; `uncertain` when it was a mutation that had been sent. */
export function unanswered(code: 'link_lost' | 'request_abandoned', certainty: Certainty): WireFailure {
  const [sentence, next] = LOCAL[code];
  return new WireFailure({ code, sentence, next, uncertain: certainty === 'uncertain' });
}

/** A service from before an update that is not idle yet. Versions are shown with the letters that versions have. */
export function outdated(theirs: string, ours: string): WireFailure {
  const sentence = `A service of version ${printableVersion(theirs)} still works; this program has ${ours}.`;
  return localFailure('endpoint_outdated', sentence);
}

export function printableVersion(version: string): string {
  return version.replace(/[^0-9A-Za-z.+-]/g, '?').slice(0, 64);
}

/** @param detail fixed words about what was wrong, never a value that the peer sent */
export function violation(detail: string): WireFailure {
  return localFailure('protocol_violation', `The service broke the protocol: ${detail}.`);
}

/** An error object of the wire; an unknown code stays as it is and is explained in general words. */
export function refusal(error: Pick<WireError, 'code'>): WireFailure {
  return new WireFailure({ code: error.code, ...explain(error.code) });
}

/** Whatever was thrown, as a failure. */
export function asFailure(thrown: unknown): WireFailure {
  return thrown instanceof WireFailure ? thrown : localFailure('unexpected');
}

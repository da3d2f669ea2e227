/** The link as screens see it. */
import type { LinkStatus } from '../client/link.ts';
import type { LinkState } from './state.ts';

/** @param since Unix time from which on there was no link, ms */
export function linkStateOf(status: Exclude<LinkStatus, { kind: 'ready' }>, since: number): LinkState {
  switch (status.kind) {
    case 'connecting':
      return { kind: 'connecting', since };
    case 'lost': {
      const { sentence, next } = status.reason;
      return { kind: 'lost', since, sentence, next, attempt: status.attempt };
    }
    case 'refused': {
      const { sentence, next } = status.failure;
      return { kind: 'refused', sentence, next };
    }
  }
}

/** The link as screens see it. */
import type { LinkStatus } from '../client/link.ts';
import type { LinkState } from './state.ts';

export function linkStateOf(status: Exclude<LinkStatus, { kind: 'ready' }>): LinkState {
  switch (status.kind) {
    case 'connecting':
      return { kind: 'connecting' };
    case 'lost': {
      const { sentence, next } = status.reason;
      return { kind: 'lost', sentence, next, attempt: status.attempt };
    }
    case 'refused': {
      const { sentence, next } = status.failure;
      return { kind: 'refused', sentence, next };
    }
  }
}

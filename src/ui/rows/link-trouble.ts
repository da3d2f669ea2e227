/** A trouble with the link that does not heal by itself, or not soon: it has a reason, and something to do. */
import type { LinkState } from '../../store/state.ts';

/** A loss that heals by itself needs no reason; one that does not, does. */
const TROUBLED_ATTEMPTS = 3;

/** The reason and the next step; null while there is nothing to explain. */
export function linkTrouble(link: LinkState): string | null {
  const isTrouble = link.kind === 'refused' || (link.kind === 'lost' && link.attempt >= TROUBLED_ATTEMPTS);
  return isTrouble ? `${link.sentence} ${link.next}` : null;
}

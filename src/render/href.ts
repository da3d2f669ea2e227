/** Which addresses may become a link on the screen. */
import { sanitiseLine } from './sanitise.ts';

const LINKABLE = /^(?:https?|file|mailto):/i;

/** The address without spaces and hidden characters, or nothing when its scheme is not allowed. */
export function safeHref(address: string): string | undefined {
  const clean = sanitiseLine(address).replace(/\s/g, '');
  return LINKABLE.test(clean) ? clean : undefined;
}

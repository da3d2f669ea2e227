import { type AssistantMessage, isContextOverflow } from '@earendil-works/pi-ai';
import type { Trouble } from './guarded-fetch.ts';

/** Whether the request was too long for the model; `message` as the SDK gave it. Servers have no common code for that. */
export function isOverflow(trouble: Trouble | null, message: AssistantMessage): boolean {
  if (trouble !== null && (trouble.kind !== 'status' || trouble.status === 429)) return false;
  return message.content.length === 0 && isContextOverflow(message);
}

/** For people, when nothing can be left out any more. */
export const OVERFLOW_NOTICE =
  'This is too long for the model. Ask for less at once, or choose a model with a larger window with F5.';

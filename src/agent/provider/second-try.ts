/**
 * What a request holds instead that a server refused for what was in it. Invariant: whatever is left out for good is
 * told to people.
 */
import type { Api, Message, Model } from '@earendil-works/pi-ai';
import type { TurnIo } from '../turn.ts';
import type { Fitting } from './fitting.ts';
import { holdsImages, seesImages } from './images.ts';
import type { RequestFailure } from './resilient-stream.ts';

export interface Attempt {
  readonly messages: Message[];
  readonly model: Model<Api>;
}

/** How servers refuse images that they cannot use. */
const IMAGE_STATUS: ReadonlySet<number> = new Set([400, 404, 415, 422]);
const WITHOUT_IMAGES =
  'The model server refused a request with images. The model is asked again without them, and does not see them.';

/** Null when the same would come of it. Rejects only when the turn is stopped. */
export async function secondTry(
  { messages, model }: Attempt,
  { isOverflow, trouble }: RequestFailure,
  fitting: Fitting | null,
  io: Pick<TurnIo, 'emit'>,
): Promise<Attempt | null> {
  if (isOverflow) {
    const shorter = fitting === null ? null : await fitting.afterOverflow(messages);
    return shorter === null ? null : { messages: shorter, model };
  }
  const isRefused = trouble?.kind === 'status' && IMAGE_STATUS.has(trouble.status);
  if (!isRefused || !seesImages(model) || !messages.some(holdsImages)) return null;
  io.emit({ type: 'notice', text: WITHOUT_IMAGES });
  return { messages, model: { ...model, input: ['text'] } };
}

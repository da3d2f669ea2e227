/**
 * What a model sees of images. Invariants: a model that takes none is sent none; a request holds the newest ones,
 * bounded in number and size; whatever is not shown is named in words.
 */
import type { Api, ImageContent, Message, Model, TextContent, UserMessage } from '@earendil-works/pi-ai';
import { type ImageData, readImage } from '../image-file.ts';
import type { HistoryItem, TurnRequest } from '../runtime.ts';

/** What the user attached, by path: as the model sees it, or why it does not. */
export type LoadedImages = ReadonlyMap<string, ImageContent | string>;

export type Said = Extract<HistoryItem, { kind: 'user' }>;

/** Images of earlier turns that are shown again. */
const MAX_EARLIER = 4;
/** In one request; with more, Anthropic wants them smaller. */
const MAX_TOGETHER = 20;
/** Base64 letters in one request: Anthropic takes 32 MB of everything. */
const MAX_LETTERS = 20_000_000;
const LEFT_OUT: TextContent = { type: 'text', text: '[An earlier image is not shown any more.]' };

export function seesImages(model: Model<Api>): boolean {
  return model.input.includes('image');
}

/** Loads what was attached to the prompt, and the newest of earlier turns. */
export async function loadImages(
  { history, images = [] }: Pick<TurnRequest, 'history' | 'images'>,
  model: Model<Api>,
): Promise<LoadedImages> {
  if (!seesImages(model)) return new Map();
  const earlier = history.flatMap((item) => (item.kind === 'user' ? (item.images ?? []) : []));
  const loaded = new Map<string, ImageContent | string>();
  for (const { path } of [...earlier.slice(-MAX_EARLIER), ...images]) {
    const file = await readImage(path);
    loaded.set(path, file.kind === 'image' ? imageContent(file.image) : file.reason);
  }
  return loaded;
}

export function imageContent({ base64, mimeType }: ImageData): ImageContent {
  return { type: 'image', data: base64, mimeType };
}

/** What the user said, with the images that were loaded behind it. */
export function userContent({ images = [], text }: Said, loaded: LoadedImages): UserMessage['content'] {
  const parts = images.flatMap(({ name, path }): (TextContent | ImageContent)[] => {
    const found = loaded.get(path);
    if (found === undefined) return [];
    if (typeof found !== 'string') return [found];
    return [{ type: 'text', text: `[${JSON.stringify(name)} is not shown: ${found}.]` }];
  });
  return parts.length === 0 ? text : [{ type: 'text', text }, ...parts];
}

/** The same messages with the newest images alone. */
export function newestImages(messages: readonly Message[]): Message[] {
  let count = 0;
  let letters = 0;
  const bounded = (part: TextContent | ImageContent): TextContent | ImageContent => {
    if (part.type === 'text') return part;
    count += 1;
    letters += part.data.length;
    return count > MAX_TOGETHER || letters > MAX_LETTERS ? LEFT_OUT : part;
  };
  const kept = messages.toReversed().map((message) => {
    if (!holdsImages(message)) return message;
    return { ...message, content: message.content.toReversed().map(bounded).toReversed() };
  });
  return kept.toReversed();
}

type Illustrated = Extract<Message, { role: 'user' | 'toolResult' }> & {
  content: (TextContent | ImageContent)[];
};

export function holdsImages(message: Message): message is Illustrated {
  if (message.role !== 'user' && message.role !== 'toolResult') return false;
  return typeof message.content !== 'string' && message.content.some(({ type }) => type === 'image');
}

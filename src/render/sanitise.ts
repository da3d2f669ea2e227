/**
 * Makes foreign text inert: nothing that a model, a tool, a file or a service wrote can move the cursor,
 * open a link, set a title or reorder what is read.
 *
 * Invariants
 * - No output holds a C0 control other than LF and TAB, a C1 control, DEL, or an invisible format character.
 * - Cut-safe: outputs joined together are inert too, because no introducer ever survives.
 * - Line-local: `sanitise(a + '\n' + b)` equals `sanitise(a) + '\n' + sanitise(b)`. Control strings end at a
 *   line end at the latest, so an unterminated one hides at most the rest of its line, and a stream may be
 *   sanitised line by line.
 * - Idempotent.
 */

const PLAIN = /^[\n\t\u0020-\u007e]*$/;
const PLAIN_LINE = /^[\u0020-\u007e]*$/;

/** Ways in which one line of foreign text ends. */
const LINE_END = String.raw`\r\n?|[\u2028\u2029]`;
const CONTROL_STRING =
  String.raw`(?:\u001b[\]PX\^_]|[\u0090\u0098\u009d\u009e\u009f])` +
  String.raw`[^\u0007\u0018\u001a\u001b\u009c\n\r\u2028\u2029]*(?:\u0007|\u001b\\|\u009c)?`;
const CSI = String.raw`(?:\u001b\[|\u009b)[\u0030-\u003f]*[\u0020-\u002f]*[\u0040-\u007e]?`;
const ESCAPE = String.raw`\u001b[\u0020-\u002f]*[\u0030-\u007e]?`;
/** Controls, bidi marks, zero-width and deprecated format characters, fillers of Hangul and of interlinear text, tags, cells of pictures. */
const INVISIBLE =
  String.raw`[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u202a-\u202e` +
  String.raw`\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e007f}\u{10eeee}]`;
const LONE_SURROGATE = String.raw`\p{Surrogate}`;

const HAZARDS = new RegExp(
  `(${LINE_END})|${CONTROL_STRING}|${CSI}|${ESCAPE}|${INVISIBLE}|(${LONE_SURROGATE})`,
  'gv',
);

const SELECTOR = String.raw`[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]`;
const JOINER = String.raw`[\u200c\u200d]`;
/** What a joiner may join: letters and marks of scripts other than ASCII, and pictographs. */
const JOINABLE =
  String.raw`[[\p{L}\p{M}\p{Extended_Pictographic}\u{1f3fb}-\u{1f3ff}]` +
  String.raw`--[\u0000-\u007f\ufe00-\ufe0f\u{e0100}-\u{e01ef}]]`;
const SELECTABLE = String.raw`[[\p{L}\p{M}\p{N}\p{P}\p{S}]--${SELECTOR}]`;
const HAS_JOINING = new RegExp(`${SELECTOR}|${JOINER}`, 'v');
/** Joiners that join nothing, and selectors beyond the one that a character may carry. */
const STRAY = new RegExp(
  `(?<!${SELECTABLE})${SELECTOR}|(?<!${JOINABLE}\\ufe0f?)${JOINER}|${JOINER}(?!${JOINABLE})`,
  'gv',
);

/**
 * The text without anything that a terminal would act on or that a reader can't see. Keeps LF and TAB;
 * CR LF, CR and Unicode line ends become LF; lone surrogates become U+FFFD.
 */
export function sanitise(text: string): string {
  if (PLAIN.test(text)) return text;
  const clean = text.replace(
    HAZARDS,
    (_match: string, lineEnd: string | undefined, surrogate: string | undefined) => {
      if (lineEnd !== undefined) return '\n';
      return surrogate === undefined ? '' : '\ufffd';
    },
  );
  return HAS_JOINING.test(clean) ? clean.replace(STRAY, '') : clean;
}

/** `sanitise` for a title or a name: every run of newlines and tabs becomes one space. */
export function sanitiseLine(text: string): string {
  if (PLAIN_LINE.test(text)) return text;
  return sanitise(text).replace(/[\n\t]+/g, ' ');
}

const HIDDEN = /(?![\n\t ])[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/gv;

/**
 * The text of a command for approval, with every invisible character written as a mark such as ⟨U+202E⟩.
 * Joiners and selectors that take part in a visible character, LF, TAB and the plain space stay. Inert.
 */
export function revealHidden(text: string): string {
  if (PLAIN.test(text)) return text;
  const stray = new Set<number>();
  for (const match of text.matchAll(STRAY)) stray.add(match.index);
  return text.replace(HIDDEN, (character: string, offset: number) =>
    isJoining(character) && !stray.has(offset) ? character : mark(character),
  );
}

function isJoining(character: string): boolean {
  return HAS_JOINING.test(character);
}

function mark(character: string): string {
  const hex = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  return `⟨U+${hex}⟩`;
}

/**
 * Bytes from the terminal → key events. No timers, no I/O.
 *
 * Invariants:
 * - events depend on the bytes only: any cut of a stream into reads gives the same events;
 * - memory is bounded whatever arrives;
 * - an unknown or broken sequence gives no event, a terminal's reply never gives text;
 * - only flush() decides that what is half read will not go on.
 */
import { parseCsi } from './csi.ts';
import { charKey, type KeyEvent, type KeyPress, namedKey, PLAIN, withAlt } from './key-event.ts';
import { PASTE_LIMIT_BYTES, PasteCollector } from './paste.ts';
import { replyFromApc, replyFromCsi, replyFromDcs, replyFromOsc } from './replies.ts';
import { keyFromCsi, keyFromLinuxConsole, keyFromSs3 } from './sequences.ts';
import { Utf8Reader } from './utf8.ts';

/**
 * What is half read. `escape`: it may be a key by itself, so it deserves a short wait. `sequence`: it can only be a
 * cut-off sequence or character. `paste`: inside a bracketed paste.
 */
export type Pending = 'none' | 'escape' | 'sequence' | 'paste';

type StringIntroducer = ']' | 'P' | '_';

type State =
  | { readonly at: 'ground' }
  /** After one or more ESC; `count` of them are not yet told. */
  | { readonly at: 'escape'; readonly count: 1 | 2 }
  /** A character after ESC. */
  | { readonly at: 'alt-text' }
  | { readonly at: 'csi'; readonly escapes: 1 | 2 }
  | { readonly at: 'linux-console' }
  | { readonly at: 'ss3'; readonly escapes: 1 | 2 }
  | { readonly at: 'string'; readonly introducer: StringIntroducer }
  | { readonly at: 'string-escape'; readonly introducer: StringIntroducer }
  | { readonly at: 'paste'; readonly collector: PasteCollector };

const ESC = 0x1b;
const CSI_LIMIT_BYTES = 256;
const STRING_LIMIT_BYTES = 16 * 1024;
const GROUND: State = { at: 'ground' };

/** How the body of a reply starts. Anything else after `ESC ]`, `ESC P`, `ESC _` is Alt with that character. */
const STRING_STARTS: Readonly<Record<StringIntroducer, RegExp>> = {
  ']': /[0-9]/,
  P: /[0-9>!$=?+|]/,
  _: /G/,
};

export class KeyDecoder {
  #state: State = GROUND;
  #body = '';
  readonly #utf8 = new Utf8Reader();
  #events: KeyEvent[] = [];
  readonly #pasteLimit: number;

  /** `pasteLimitBytes` is the most that is held of one paste; longer ones come out in pieces. */
  constructor(options: { readonly pasteLimitBytes: number } = { pasteLimitBytes: PASTE_LIMIT_BYTES }) {
    this.#pasteLimit = options.pasteLimitBytes;
  }

  /** Takes the bytes of one read; returns the events that became certain, in order. */
  feed(bytes: Uint8Array): KeyEvent[] {
    for (const byte of bytes) this.#push(byte);
    return this.#take();
  }

  /** Says what is half read. */
  pending(): Pending {
    switch (this.#state.at) {
      case 'ground':
        return this.#utf8.open ? 'sequence' : 'none';
      case 'escape':
        return 'escape';
      case 'string':
        return this.#body === '' ? 'escape' : 'sequence';
      case 'paste':
        return 'paste';
      default:
        return 'sequence';
    }
  }

  /** Settles what is half read because nothing followed in time: a lone ESC is the Escape key, a paste ends. */
  flush(): KeyEvent[] {
    const state = this.#state;
    switch (state.at) {
      case 'ground':
        for (const character of this.#utf8.end()) this.#emit(charKey(character, PLAIN));
        break;
      case 'escape':
        this.#emitEscapes(state.count);
        break;
      case 'alt-text':
        for (const character of this.#utf8.end()) this.#emit(withAlt(charKey(character, PLAIN)));
        break;
      case 'csi':
        if (this.#body === '') this.#emitAltCharacter('[', state.escapes);
        break;
      case 'ss3':
        this.#emitAltCharacter('O', state.escapes);
        break;
      case 'string':
        if (this.#body === '') this.#emitAltCharacter(state.introducer, 1);
        break;
      case 'paste': {
        const text = state.collector.take();
        if (text !== '') this.#emit({ kind: 'paste', text });
        break;
      }
      case 'string-escape':
      case 'linux-console':
        break;
    }
    this.#ground();
    return this.#take();
  }

  #take(): KeyEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }

  #emit(event: KeyEvent): void {
    this.#events.push(event);
  }

  #emitEscapes(count: number): void {
    for (let index = 0; index < count; index += 1) this.#emit(namedKey('escape', PLAIN));
  }

  #emitAltCharacter(character: string, escapes: 1 | 2): void {
    this.#emitEscapes(escapes - 1);
    this.#emit(withAlt(charKey(character, PLAIN)));
  }

  #ground(): void {
    this.#state = GROUND;
    this.#body = '';
  }

  #push(byte: number): void {
    const state = this.#state;
    switch (state.at) {
      case 'ground':
        this.#pushGround(byte);
        break;
      case 'escape':
        this.#pushEscape(byte, state.count);
        break;
      case 'alt-text':
        this.#pushAltText(byte);
        break;
      case 'csi':
        this.#pushCsi(byte, state.escapes);
        break;
      case 'linux-console': {
        const press = keyFromLinuxConsole(String.fromCharCode(byte));
        this.#ground();
        if (press === null) this.#push(byte);
        else this.#emit(press);
        break;
      }
      case 'ss3':
        this.#pushSs3(byte, state.escapes);
        break;
      case 'string':
        this.#pushString(byte, state.introducer);
        break;
      case 'string-escape':
        this.#pushStringEscape(byte, state.introducer);
        break;
      case 'paste':
        this.#pushPaste(byte, state.collector);
        break;
    }
  }

  #pushGround(byte: number): void {
    for (const character of this.#utf8.push(byte)) {
      if (character === '\u001b') this.#state = { at: 'escape', count: 1 };
      else this.#emitCharacter(character, 'plain');
    }
  }

  #emitCharacter(character: string, prefix: 'plain' | 'alt'): void {
    const press = keyFromCharacter(character);
    if (press !== null) this.#emit(prefix === 'alt' ? withAlt(press) : press);
  }

  #pushEscape(byte: number, count: 1 | 2): void {
    const character = String.fromCharCode(byte);
    if (byte === ESC) {
      // Escape twice, or the Alt prefix of a sequence: what follows decides. Never more than two are held back.
      if (count === 2) this.#emitEscapes(1);
      this.#state = { at: 'escape', count: 2 };
    } else if (character === '[') this.#state = { at: 'csi', escapes: count };
    else if (character === 'O') this.#state = { at: 'ss3', escapes: count };
    else {
      this.#emitEscapes(count - 1);
      if (character === ']' || character === 'P' || character === '_') {
        this.#state = { at: 'string', introducer: character };
      } else {
        this.#state = { at: 'alt-text' };
        this.#pushAltText(byte);
      }
    }
  }

  /** A broken character may be followed in one step by another one: Alt belongs to the first. */
  #pushAltText(byte: number): void {
    for (const character of this.#utf8.push(byte)) {
      const isFirst = this.#state.at === 'alt-text';
      if (isFirst) this.#ground();
      if (character === '\u001b') this.#state = { at: 'escape', count: 1 };
      else this.#emitCharacter(character, isFirst ? 'alt' : 'plain');
    }
  }

  #pushCsi(byte: number, escapes: 1 | 2): void {
    if (byte < 0x20 || byte > 0x7e) {
      this.#ground();
      this.#push(byte);
      return;
    }
    const character = String.fromCharCode(byte);
    if (byte < 0x40) {
      if (this.#body.length < CSI_LIMIT_BYTES) this.#body += character;
      return;
    }
    if (character === '[' && this.#body === '') {
      this.#emitEscapes(escapes - 1);
      this.#state = { at: 'linux-console' };
      return;
    }
    const body = this.#body;
    this.#ground();
    if (body.length < CSI_LIMIT_BYTES) this.#finishCsi(body, character, escapes);
  }

  #finishCsi(body: string, final: string, escapes: 1 | 2): void {
    const sequence = parseCsi(body, final);
    const press = sequence === null ? null : keyFromCsi(sequence);
    const report = sequence === null ? null : replyFromCsi(sequence);
    if (press !== null && report === null) {
      this.#emit(escapes === 2 ? withAlt(press) : press);
      return;
    }
    this.#emitEscapes(escapes - 1);
    if (report !== null) this.#emit(report);
    else if (final === '~' && body === '200') {
      this.#state = { at: 'paste', collector: new PasteCollector(this.#pasteLimit) };
    }
  }

  #pushSs3(byte: number, escapes: 1 | 2): void {
    const press = keyFromSs3(String.fromCharCode(byte));
    this.#ground();
    if (press !== null) this.#emit(escapes === 2 ? withAlt(press) : press);
    else {
      this.#emitAltCharacter('O', escapes);
      this.#push(byte);
    }
  }

  #pushString(byte: number, introducer: StringIntroducer): void {
    const character = String.fromCharCode(byte);
    if (this.#body === '' && !STRING_STARTS[introducer].test(character)) {
      this.#ground();
      this.#emitAltCharacter(introducer, 1);
      this.#push(byte);
      return;
    }
    if (byte === ESC) this.#state = { at: 'string-escape', introducer };
    else if (byte === 0x07 && introducer === ']') this.#finishString(introducer);
    else if (byte < 0x20) {
      this.#ground();
      this.#push(byte);
    } else if (this.#body.length < STRING_LIMIT_BYTES) this.#body += character;
  }

  #pushStringEscape(byte: number, introducer: StringIntroducer): void {
    if (byte === 0x5c) {
      this.#finishString(introducer);
      return;
    }
    this.#body = '';
    this.#state = { at: 'escape', count: 1 };
    this.#push(byte);
  }

  #finishString(introducer: StringIntroducer): void {
    const body = this.#body;
    this.#ground();
    switch (introducer) {
      case ']':
        this.#emit(replyFromOsc(body));
        break;
      case 'P':
        this.#emit(replyFromDcs(body));
        break;
      case '_':
        this.#emit(replyFromApc());
        break;
    }
  }

  #pushPaste(byte: number, collector: PasteCollector): void {
    const step = collector.push(byte);
    if (step === 'more') return;
    this.#emit({ kind: 'paste', text: collector.take() });
    if (step === 'end') this.#ground();
  }
}

/** Returns the press that one character stands for outside any sequence, or null for a C1 control. */
function keyFromCharacter(character: string): KeyPress | null {
  const code = character.codePointAt(0) ?? 0;
  switch (code) {
    case 0x00:
      return charKey(' ', { ...PLAIN, ctrl: true });
    case 0x08:
    case 0x7f:
      return namedKey('backspace', PLAIN);
    case 0x09:
      return namedKey('tab', PLAIN);
    case 0x0d:
      return namedKey('enter', PLAIN);
  }
  if (code < 0x20) return charKey(String.fromCharCode(code + 0x40).toLowerCase(), { ...PLAIN, ctrl: true });
  if (code >= 0x80 && code <= 0x9f) return null;
  return charKey(character, PLAIN);
}

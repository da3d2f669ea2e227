/**
 * What an agent says in one turn: passed on, written down, counted (PROTOCOL.md, "Turns", "Session profile").
 * Invariants: the answer is what the main agent says aloud, thinking and subagents are no part of it; a piece
 * that passes a limit is withheld as a whole; a delta names the envelope in which its text will stand.
 */
import { byteLength } from '../../wire/json.ts';
import { SESSION_PROTOCOL_LIMITS } from '../../wire/session-protocol.ts';
import { piecesOf } from '../profile/envelope-bounds.ts';
import type { TurnRecord, Voice } from './turn-record.ts';
import { TurnText, WholeCharacters } from './turn-text.ts';

export interface Delta extends Voice {
  readonly text: string;
  readonly envelopeId: string;
}

export interface SpeechOptions {
  readonly record: TurnRecord;
  readonly delta: (delta: Delta) => void;
  /** Told to clients that know no envelopes: it stands between replies and belongs to none. */
  readonly separator: (text: string) => void;
  /** Whether the answer may pass what an ordinary terminal carries; asked when it would. */
  readonly mayBeLong: () => boolean;
}

/** Between the reply before a tool call and the reply after it: told, not stored; the agent's own newlines there are dropped. */
const PARAGRAPH = '\n\n';
/** Of one delta: an envelope stays within its bounds although it is closed only after a delta. */
const DELTA_BOUNDS = { raw: 4_096, encoded: 6_144 };
const ANSWER: Voice = { thinking: false, subagent: undefined };

export class TurnSpeech {
  readonly #options: SpeechOptions;
  readonly #text = new TurnText();
  readonly #halves = new Map<string, WholeCharacters>();
  #total = 0;
  #afterTool = false;

  constructor(options: SpeechOptions) {
    this.#options = options;
  }

  /** The answer so far; empty once it is long. */
  get text(): string {
    return this.#text.value;
  }

  /** The answer stands in the envelopes alone. */
  get isLong(): boolean {
    return this.#text.isLong;
  }

  toolEnded(): void {
    this.#afterTool = true;
  }

  /** A piece of the answer. False when it passes a limit. */
  answer(piece: string): boolean {
    const isFirst = this.#text.value === '' && !this.#text.isLong;
    const lead = this.#afterTool && !isFirst ? PARAGRAPH : '';
    const whole = this.#whole(piece, ANSWER);
    const text = lead === '' ? whole : whole.replace(/^\n+/, '');
    if (text === '') return true;
    if (!this.#count(text)) return false;
    if (!this.#text.fits(lead + text)) {
      if (!this.#options.mayBeLong()) return false;
      this.#text.giveUp();
    }
    this.#afterTool = false;
    this.#text.accept(lead + text);
    if (lead !== '') this.#options.separator(lead);
    this.#say(text, ANSWER);
    return true;
  }

  /** Thinking, or what a subagent says. False when it passes a limit. */
  aside(piece: string, voice: Voice): boolean {
    const text = this.#whole(piece, voice);
    if (!this.#count(text)) return false;
    if (text !== '') this.#say(text, voice);
    return true;
  }

  #say(text: string, voice: Voice): void {
    const { delta, record } = this.#options;
    for (const piece of piecesOf(text, DELTA_BOUNDS)) {
      delta({ ...voice, text: piece, envelopeId: record.open(voice) });
      record.add(piece);
    }
  }

  #count(text: string): boolean {
    this.#total += byteLength(text);
    return this.#total <= SESSION_PROTOCOL_LIMITS.max_turn_text_bytes;
  }

  #whole(piece: string, { subagent, thinking }: Voice): string {
    const key = `${thinking} ${subagent ?? ''}`;
    const halves = this.#halves.get(key) ?? new WholeCharacters();
    this.#halves.set(key, halves);
    return halves.take(piece);
  }
}

/** What one client of the load hears of its turn: every delta once, in order, and how long it took. */
import type { ControlEvent, Piece } from '../../src/client/session-control.ts';
import { kindOf, textOf } from '../faults/loss.ts';
import { stamp } from './load-model.ts';

export class LoadEar {
  /** From the model server's write to the client's receipt, microseconds. */
  readonly latencies: number[] = [];
  /** Deltas that came in another order, twice, or not at all. */
  wrong = 0;
  /** Records in which deltas came. */
  records = 0;
  #next = 0;
  #rest = '';
  /** The text of the envelope under construction that has come so far. */
  #heard: { id: string; text: string } = { id: '', text: '' };

  get count(): number {
    return this.#next;
  }

  hear(event: ControlEvent): void {
    if (event.type === 'delta') this.#delta(event.piece, event.text);
    if (event.type !== 'envelope' || event.envelope.role !== 'agent' || kindOf(event.envelope) !== 'text')
      return;
    // Under pressure an envelope takes the place of its last deltas.
    const whole = textOf(event.envelope) ?? '';
    const id = String(event.envelope.id);
    const before = this.#heard.id === id ? this.#heard.text : '';
    if (!whole.startsWith(before)) this.wrong += 1;
    this.#take(whole.slice(before.length));
    this.#heard = { id: '', text: '' };
  }

  #delta(piece: Piece | null, text: string): void {
    const id = piece?.envelopeId ?? '';
    if (this.#heard.id !== id) this.#heard = { id, text: '' };
    this.#heard.text += text;
    this.records += 1;
    this.#take(text);
  }

  #take(text: string): void {
    const now = stamp();
    const entries = (this.#rest + text).split(';');
    this.#rest = entries.pop() ?? '';
    for (const entry of entries) {
      const [index, written] = entry.split('@').map(Number);
      if (index !== this.#next) this.wrong += 1;
      this.#next = (index ?? this.#next) + 1;
      this.latencies.push(now - (written ?? Number.NaN));
    }
  }
}

/**
 * Where a list of envelopes may be cut: folding the parts gives what folding the whole gives.
 * Nothing that `fold` does reaches over the end of a turn, so the places behind those ends are the cuts.
 */
import type { AnyEnvelope } from './envelope.ts';

/** The first place behind the end of a turn; null when no turn ends. */
export function firstCut(envelopes: readonly AnyEnvelope[]): number | null {
  const end = envelopes.findIndex(isTurnEnd);
  return end < 0 ? null : end + 1;
}

/** The last place behind the end of a turn; null when no turn ends. */
export function lastCut(envelopes: readonly AnyEnvelope[]): number | null {
  const end = envelopes.findLastIndex(isTurnEnd);
  return end < 0 ? null : end + 1;
}

function isTurnEnd({ ev, subagent }: AnyEnvelope): boolean {
  return ev.t === 'turn-end' && subagent === undefined;
}

/**
 * Which provider a name on the command line means, and what to do with it. Pure.
 * Invariant: what exists under a name wins over an other name for what is signed in to.
 */
import { sanitiseLine } from '../render/sanitise.ts';
import { UsageError } from './flags.ts';

export interface NamedProvider {
  readonly id: string;
  /** What can be stored for it. A server may want a key although its settings name none: `optional-key`. */
  readonly takes: 'key' | 'optional-key' | 'sign-in' | 'nothing';
}

/** What is signed in to. */
export const CODEX = 'openai-codex';
/** As people call it, in small letters. */
const CODEX_NAMES: readonly string[] = ['chatgpt', 'codex', CODEX];

/** @throws UsageError that names those which exist */
export function providerNamed<T extends NamedProvider>(name: string, all: readonly T[]): T {
  const found =
    all.find(({ id }) => id === name) ?? (isCodexName(name) ? all.find(({ id }) => id === CODEX) : undefined);
  if (found === undefined) throw noSuchProvider(name, all);
  return found;
}

/** Whether people mean what is signed in to. */
export function isCodexName(name: string): boolean {
  return CODEX_NAMES.includes(name.toLowerCase());
}

function noSuchProvider(name: string, all: readonly NamedProvider[]): UsageError {
  const ids = all.map(({ id }) => id).toSorted();
  return new UsageError(`There is no provider ${sanitiseLine(name)}; there are: ${ids.join(', ')}.`);
}

/** Why a provider cannot be signed in to, and what can be done; null when it can. */
export function whyNoSignIn({ id, takes }: NamedProvider): string | null {
  switch (takes) {
    case 'sign-in':
      return null;
    case 'key':
      return `${id} takes a key: run magi-term key set ${id}, or set it in the environment.`;
    case 'optional-key':
      return `${id} needs neither a sign-in nor a key. If its server wants a key: magi-term key set ${id}.`;
    case 'nothing':
      return `${id} needs neither a sign-in nor a key: choose it with magi-term config set provider ${id}.`;
  }
}

/** Why no key can be saved for a provider, and what can be done; null when one can. */
export function whyNoKey({ id, takes }: NamedProvider): string | null {
  switch (takes) {
    case 'key':
    case 'optional-key':
      return null;
    case 'sign-in':
      return `${id} takes no key, it is signed in to: run magi-term login.`;
    case 'nothing':
      return `${id} needs no key: choose it with magi-term config set provider ${id}.`;
  }
}

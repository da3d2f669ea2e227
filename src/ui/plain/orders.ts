/** What a typed line asks for. Pure. */

export type Order =
  | { readonly kind: 'say'; readonly text: string }
  | { readonly kind: 'answer'; readonly decision: 'allow-once' | 'allow-always' | 'deny' }
  /** Counts from 1. */
  | { readonly kind: 'pick'; readonly number: number }
  | { readonly kind: 'help' | 'sessions' | 'new' | 'providers' | 'stop' | 'retry' | 'quit' | 'nothing' }
  | { readonly kind: 'unknown'; readonly word: string };

/** What the line may mean now: an answer to a question, a number of a list, or anything. */
export type Expecting = 'question' | 'list' | 'anything';

const WORDS = ['help', 'sessions', 'new', 'providers', 'stop', 'retry', 'quit'] as const;
const DECISIONS = new Map([
  ['y', 'allow-once'],
  ['a', 'allow-always'],
  ['n', 'deny'],
] as const);

export const HELP: readonly string[] = [
  'Type a message and press Enter. A line that ends with a backslash goes on in the next.',
  '/sessions lists past sessions, /new starts one, /providers asks who should answer.',
  '/stop or Ctrl+C stops a turn. /quit, or Ctrl+D, or Ctrl+C twice leaves.',
  'Signing in and settings: leave, and run magi-term login or magi-term config.',
  'A message that begins with a slash: put a space in front.',
];

/** @param line without its line end */
export function orderOf(line: string, expecting: Expecting): Order {
  const text = line.trim();
  if (text === '') return { kind: 'nothing' };
  if (expecting === 'question') {
    const decision = [...DECISIONS].find(([key]) => key === text.toLowerCase())?.[1];
    if (decision !== undefined) return { kind: 'answer', decision };
  }
  if (expecting === 'list' && /^\d{1,4}$/.test(text)) return { kind: 'pick', number: Number(text) };
  const word = /^\/([a-z]+)$/.exec(line)?.[1];
  if (word === undefined) return { kind: 'say', text: line };
  const known = WORDS.find((candidate) => candidate === word);
  return known === undefined ? { kind: 'unknown', word } : { kind: known };
}

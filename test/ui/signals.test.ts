import { describe, expect, it } from 'vitest';
import { newsOf, signBytes, titleBytes } from '../../src/ui/signals.ts';

describe('what the terminal is told beside the picture', () => {
  it('is the folder and the state in the title, and nothing that could end it early', () => {
    expect(titleBytes('~/shop', 'idle')).toBe('\u001b]2;~/shop · magi-term\u001b\\');
    expect(titleBytes('~/shop', 'asking')).toBe('\u001b]2;~/shop · magi-term · asks you\u001b\\');
    const [, inner] =
      /^\u001b\]2;(.*)\u001b\\$/s.exec(titleBytes('a\u0007b\u001b\\c\u009cd\ne', 'working')) ?? [];
    expect(inner).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
  });

  it('is news when a turn ends or asks, and nothing else', () => {
    expect(newsOf('working', 'idle')).toBe('ended');
    expect(newsOf('asking', 'idle')).toBe('ended');
    expect(newsOf('working', 'asking')).toBe('asks');
    expect(newsOf('idle', 'working')).toBeNull();
    expect(newsOf('asking', 'asking')).toBeNull();
    expect(newsOf('asking', 'working')).toBeNull();
  });

  it.each([
    [{}, 'auto', /^\u0007$/],
    [{ TERM_PROGRAM: 'WezTerm' }, 'auto', /^\u001b\]9;magi-term: .*\u001b\\$/],
    [{ TERM_PROGRAM: 'WezTerm' }, 'bell', /^\u0007$/],
    [{ TERM_PROGRAM: 'WezTerm', TMUX: '/tmp/x' }, 'auto', /^\u0007$/],
    [{ TERM: 'foot' }, 'auto', /^\u001b\]777;notify;magi-term;.*\u001b\\$/],
  ] as const)('%j with the wish %s gets a sign that it can show', (env, wish, bytes) => {
    expect(signBytes('ended', wish, env)).toMatch(bytes);
  });
});

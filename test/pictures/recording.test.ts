import { describe, expect, it } from 'vitest';
import { foreignSequences } from '../support/own-bytes.ts';
import { Cast } from './cast.ts';
import { glimpse, recorded } from './recording.ts';

/** Header and events of a recording. */
function read(file: string): { header: unknown; events: [number, string, string][] } {
  const [header, ...events] = file
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  return { header, events };
}

describe('a recording', () => {
  it('of the program holds what it wrote, in order, and nothing else', { timeout: 60_000 }, async () => {
    const { header, events } = read(await recorded(glimpse));
    expect(header).toEqual({
      version: 2,
      width: 90,
      height: 24,
      title: 'magi-term',
      env: { TERM: 'xterm-256color' },
    });
    expect(events.length).toBeGreaterThan(5);
    const times = events.map(([at]) => at);
    expect(times).toEqual(times.toSorted((left, right) => left - right));
    expect(times.every((at, index) => at - (times[index - 1] ?? 0) <= 1.501)).toBe(true);
    expect(new Set(events.map(([, kind]) => kind))).toEqual(new Set(['o']));
    const bytes = events.map(([, , text]) => text).join('');
    expect(bytes).toContain('list files');
    expect(foreignSequences(bytes)).toEqual([]);
  });

  it('shortens pauses and keeps characters whole', () => {
    const cast = new Cast({ cols: 10, rows: 2, title: 't', longestPause: 1 });
    const [first, second] = [Buffer.from('a漢').subarray(0, 2), Buffer.from('a漢').subarray(2)];
    cast.take(first, 5_000);
    cast.take(second, 5_250);
    cast.take(Buffer.from('late'), 99_000);
    expect(read(cast.toString()).events).toEqual([
      [0, 'o', 'a'],
      [0.25, 'o', '漢'],
      [1.25, 'o', 'late'],
    ]);
  });
});

import { afterEach, describe, expect, it, vi } from 'vitest';
import { copyToClipboard, OSC52_LIMIT_BYTES, osc52 } from '../../src/platform/clipboard.ts';

afterEach(() => vi.useRealTimers());

type Env = Readonly<Record<string, string>>;

function world(env: Env, helper: (text: string) => Promise<void>, platform: NodeJS.Platform = 'linux') {
  const written: string[] = [];
  const parts = { env, platform, helper, write: (bytes: string) => void written.push(bytes) };
  return { written, copy: (text: string) => copyToClipboard(text, parts) };
}

const works = async (): Promise<void> => undefined;
const HERE = { DISPLAY: ':0' };

describe('copying', () => {
  it('is told as done only when a program has confirmed it', async () => {
    const here = world(HERE, works);
    expect(await here.copy('words')).toEqual({ kind: 'copied' });
    expect(here.written).toEqual([]);
  });

  it.each([
    { SSH_CONNECTION: '1', DISPLAY: ':0' },
    { SSH_TTY: '/dev/pts/1', DISPLAY: ':0' },
    { TMUX: '/tmp/x', DISPLAY: ':0' },
    { STY: '1.x', DISPLAY: ':0' },
    {},
  ])('goes to the terminal where the person sits elsewhere: %o', async (env) => {
    const away = world(env as Env, works);
    expect(await away.copy('words')).toEqual({ kind: 'sent' });
    expect(away.written).toEqual([osc52('words', env as Env)]);
  });

  it('goes to the terminal when the program fails', async () => {
    const failing = world(HERE, async () => Promise.reject(new Error('no program')));
    expect(await failing.copy('words')).toEqual({ kind: 'sent' });
  });

  it('waits no longer than two seconds for a program', async () => {
    vi.useFakeTimers();
    const silent = world({}, () => new Promise(() => undefined), 'darwin');
    const outcome = silent.copy('words');
    await vi.advanceTimersByTimeAsync(1_999);
    expect(silent.written).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(await outcome).toEqual({ kind: 'sent' });
  });

  it('sends nothing that a terminal would not keep whole', async () => {
    const away = world({}, works);
    expect(await away.copy('é'.repeat(OSC52_LIMIT_BYTES / 2 + 1))).toEqual({
      kind: 'too-long',
      limit: OSC52_LIMIT_BYTES,
    });
    expect(away.written).toEqual([]);
    expect(osc52('x'.repeat(OSC52_LIMIT_BYTES), {}).length).toBeLessThanOrEqual(100_000);
  });
});

describe('the sequence', () => {
  const plain = (text: string): string => `\u001b]52;c;${Buffer.from(text).toString('base64')}\u0007`;

  it('carries exactly the text', () => {
    expect(osc52('日本\n\u001b[2J', {})).toBe(plain('日本\n\u001b[2J'));
  });

  it('passes through tmux, and through screen in pieces', () => {
    expect(osc52('hi', { TMUX: 'x' })).toBe(`\u001bPtmux;\u001b${plain('hi')}\u001b\\`);
    const pieces = osc52('x'.repeat(1_000), { STY: 'x' }).split('\u001b\\').slice(0, -1);
    expect(pieces.map((piece) => piece.slice(2)).join('')).toBe(plain('x'.repeat(1_000)));
    for (const piece of pieces) expect(piece.length).toBeLessThan(768);
  });
});

import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  ESCAPE_WAIT_MS,
  InputSource,
  PASTE_WAIT_MS,
  SEQUENCE_WAIT_MS,
} from '../../../src/ui/keys/input-source.ts';
import { charKey, type KeyEvent, namedKey, PLAIN } from '../../../src/ui/keys/key-event.ts';

function start() {
  const rawModes: boolean[] = [];
  const stdin = Object.assign(new PassThrough(), { setRawMode: (mode: boolean) => rawModes.push(mode) });
  const events: KeyEvent[] = [];
  const batches: number[] = [];
  const ends: (Error | null)[] = [];
  const source = new InputSource({
    stdin,
    onEvent: (event, moment) => {
      events.push(event);
      batches.push(moment.batch);
    },
    onEnd: (error) => ends.push(error),
  });
  source.start();
  const read = (text: string) => stdin.emit('data', Buffer.from(text));
  return { rawModes, stdin, events, batches, ends, source, read };
}

describe('InputSource', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('joins ESC and the rest that comes 20 ms later', () => {
    const { events, read } = start();
    read('\u001b');
    vi.advanceTimersByTime(20);
    read('[A');
    vi.advanceTimersByTime(1000);
    expect(events).toEqual([namedKey('up', PLAIN)]);
  });

  it('tells a lone ESC after the wait', () => {
    const { events, read } = start();
    read('\u001b');
    vi.advanceTimersByTime(ESCAPE_WAIT_MS - 1);
    expect(events).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(events).toEqual([namedKey('escape', PLAIN)]);
  });

  it('keeps a slow reply out of the text', () => {
    const { events, read } = start();
    read('\u001b]11;rgb:00');
    vi.advanceTimersByTime(SEQUENCE_WAIT_MS - 1);
    read('00/0000/0000\u001b\\a');
    expect(events).toEqual([
      { kind: 'reply', reply: 'colour', slot: 11, rgb: [0, 0, 0] },
      charKey('a', PLAIN),
    ]);
  });

  it('delivers a paste whose end never comes', () => {
    const { events, read } = start();
    read('\u001b[200~half');
    vi.advanceTimersByTime(PASTE_WAIT_MS - 1);
    read(' and half');
    vi.advanceTimersByTime(PASTE_WAIT_MS);
    read('x');
    expect(events).toEqual([{ kind: 'paste', text: 'half and half' }, charKey('x', PLAIN)]);
  });

  it('numbers reads', () => {
    const { batches, read } = start();
    read('\u0003\u0003');
    read('\u0003');
    expect(batches).toEqual([1, 1, 2]);
  });

  it('owns raw mode and leaves neither listener nor timer', () => {
    const { source, rawModes, stdin, events, read } = start();
    read('\u001b');
    source.stop();
    source.stop();
    read('x');
    vi.advanceTimersByTime(1000);
    expect({ rawModes, events, timers: vi.getTimerCount(), listeners: stdin.listenerCount('data') }).toEqual({
      rawModes: [true, false],
      events: [],
      timers: 0,
      listeners: 0,
    });
  });

  it('tells no event after a listener stopped it', () => {
    const stdin = new PassThrough();
    const events: KeyEvent[] = [];
    const source = new InputSource({
      stdin,
      onEvent: (event) => {
        events.push(event);
        source.stop();
      },
      onEnd: () => {},
    });
    source.start();
    stdin.emit('data', Buffer.from('ab'));
    expect(events).toEqual([charKey('a', PLAIN)]);
  });

  it('tells the end of the terminal once, after what was half read', () => {
    const { stdin, events, ends, read } = start();
    read('\u001b');
    const error = new Error('EIO');
    stdin.emit('error', error);
    stdin.emit('end');
    expect({ events, ends }).toEqual({ events: [namedKey('escape', PLAIN)], ends: [error] });
  });
});

import { EventEmitter } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import {
  exitCode,
  type LeaveCause,
  TerminalGuard,
  type TerminalGuardOptions,
  terminalAbilities,
} from '../../src/platform/terminal.ts';
import { resetModes, setModes } from '../../src/platform/terminal-modes.ts';

const MODES = ['alternate-screen', 'bracketed-paste', 'focus-reports', 'kitty-keyboard'] as const;
const SET = '\u001b[?1049h\u001b[?2004h\u001b[?1004h\u001b[>1u';
const RESET = '\u001b[?2026l\u001b[0m\u001b[?25h\u001b[<1u\u001b[?1004l\u001b[?2004l\u001b[?1049l';

function guarded(overrides: Partial<TerminalGuardOptions> = {}) {
  const log: string[] = [];
  let raw: 'on' | 'off' = 'on';
  const host = Object.assign(new EventEmitter(), { exit: (code: number) => log.push(`exit ${code}`) });
  const stream = new EventEmitter();
  const guard = new TerminalGuard({
    process: host,
    streams: [stream],
    write: (text) => log.push(text),
    rawMode: {
      isOn: () => raw === 'on',
      set: (state) => {
        raw = state;
        log.push(`raw ${state}`);
      },
    },
    reason: (cause) => `reason ${cause.kind}`,
    beforeExit: () => {},
    silence: () => undefined,
    redraw: () => log.push('redraw'),
    stopSelf: () => log.push('stop'),
    stopAtOnce: () => log.push('stop at once'),
    ...overrides,
  });
  guard.install();
  return { guard, host, stream, log };
}

async function settled(): Promise<void> {
  await new Promise((done) => setImmediate(done));
}

describe('terminal modes', () => {
  it('are set in order and reset in the reverse order', () => {
    expect(setModes(MODES)).toBe(SET);
    expect(resetModes(MODES)).toBe(RESET);
  });
});

describe('lending the terminal', () => {
  it('gives it back as it was found, and takes it again with every mode', async () => {
    const { guard, log } = guarded();
    guard.enter(MODES);
    log.length = 0;
    const lent = guard.lend(async () => {
      log.push('work');
      return 7;
    });
    expect(await lent).toBe(7);
    expect(log).toEqual([RESET, 'raw off', 'work', 'raw off', 'raw on', SET, 'redraw']);
  });

  it('leaves the keys of the terminal to whoever has it, and takes it back when the work fails', async () => {
    const { guard, host, log } = guarded();
    guard.enter(MODES);
    log.length = 0;
    const lent = guard.lend(async () => {
      host.emit('SIGINT');
      host.emit('SIGTSTP');
      host.emit('SIGCONT');
      guard.suspend();
      expect(await guard.lend(async () => 'twice')).toBeNull();
      throw new Error('no editor');
    });
    await expect(lent).rejects.toThrow('no editor');
    expect(log).toEqual([RESET, 'raw off', 'stop at once', 'raw off', 'raw on', SET, 'redraw']);
  });

  it('ends the work when the program ends, and takes nothing back', async () => {
    const { guard, host, log } = guarded();
    guard.enter(MODES);
    log.length = 0;
    const lent = guard.lend(
      (signal) => new Promise<string>((done) => signal.addEventListener('abort', () => done('ended'))),
    );
    host.emit('SIGTERM');
    expect(await lent).toBe('ended');
    await settled();
    expect(log).toEqual([RESET, 'raw off', 'reason signal\r\n', 'exit 143']);
  });
});

describe('TerminalGuard (FC-11)', () => {
  it.each<
    readonly [string, (emit: (event: string, value?: unknown) => void) => void, LeaveCause['kind'], number]
  >([
    ['SIGINT', (emit) => emit('SIGINT'), 'signal', 130],
    ['SIGTERM', (emit) => emit('SIGTERM'), 'signal', 143],
    ['SIGHUP', (emit) => emit('SIGHUP'), 'signal', 129],
    ['an exception', (emit) => emit('uncaughtException', new Error('x')), 'fault', 1],
    ['a rejection', (emit) => emit('unhandledRejection', 'x'), 'fault', 1],
    [
      'a failed read of a closed terminal',
      (emit) => emit('uncaughtException', Object.assign(new Error('x'), { code: 'EIO', syscall: 'read' })),
      'hang-up',
      129,
    ],
  ])('restores, tells the reason, and ends after %s', async (_name, act, kind, code) => {
    const { guard, host, log } = guarded();
    guard.enter(MODES);
    act((event, value) => host.emit(event, value));
    act((event, value) => host.emit(event, value));
    await settled();
    host.emit('exit');
    expect(log).toEqual([SET, RESET, 'raw off', `reason ${kind}\r\n`, `exit ${code}`]);
  });

  it('sets a mode once and resets it once', () => {
    const { guard, log } = guarded();
    guard.adopt(['alternate-screen']);
    guard.enter(['kitty-keyboard', 'alternate-screen']);
    guard.enter(['kitty-keyboard']);
    guard.restore();
    guard.restore();
    expect(log).toEqual(['\u001b[>1u', resetModes(['alternate-screen', 'kitty-keyboard']), 'raw off']);
  });

  it('treats EPIPE and EIO of a stream as a hang-up, other failures as faults', async () => {
    for (const [code, exit] of [
      ['EPIPE', 'exit 129'],
      ['EIO', 'exit 129'],
      ['ENOSPC', 'exit 1'],
    ]) {
      const { stream, log } = guarded();
      stream.emit('error', Object.assign(new Error('x'), { code }));
      await settled();
      expect(log.at(-1)).toBe(exit);
    }
  });

  it('treats the end of the input as a hang-up', async () => {
    const { stream, log } = guarded();
    stream.emit('end');
    await settled();
    expect(log).toEqual(['raw off', 'reason hang-up\r\n', 'exit 129']);
  });

  it('ends although the terminal is gone and the last work fails', async () => {
    const exits: number[] = [];
    const gone = () => {
      throw new Error('EIO');
    };
    const host = Object.assign(new EventEmitter(), { exit: (code: number) => exits.push(code) });
    const { guard } = guarded({
      process: host,
      write: gone,
      rawMode: { isOn: gone, set: gone },
      reason: gone,
      beforeExit: gone,
    });
    guard.adopt(MODES);
    host.emit('SIGHUP');
    await settled();
    expect(exits).toEqual([129]);
  });

  it('waits for the last work, but not for ever', async () => {
    vi.useFakeTimers();
    const { guard, log } = guarded({ beforeExit: () => new Promise(() => {}), reason: () => null });
    const left = guard.leave({ kind: 'quit' });
    await vi.advanceTimersByTimeAsync(999);
    expect(log).toEqual(['raw off']);
    await vi.advanceTimersByTimeAsync(1);
    await left;
    vi.useRealTimers();
    expect(log).toEqual(['raw off', 'exit 0']);
  });

  it('gives the terminal back while suspended and takes it again', () => {
    const { guard, host, log } = guarded();
    guard.enter(MODES);
    host.emit('SIGTSTP');
    host.emit('SIGCONT');
    expect(log).toEqual([SET, RESET, 'raw off', 'stop', 'raw off', 'raw on', SET, 'redraw']);
  });

  it('goes on by itself when the stop does nothing', async () => {
    vi.useFakeTimers();
    const { guard, log } = guarded();
    guard.enter(['bracketed-paste']);
    guard.suspend();
    await vi.advanceTimersByTimeAsync(200);
    vi.useRealTimers();
    expect(log.slice(-2)).toEqual(['\u001b[?2004h', 'redraw']);
  });

  it('sets its modes again after a stop it did not see, without pushing key reports twice', () => {
    const { guard, host, log } = guarded();
    guard.enter(MODES);
    host.emit('SIGCONT');
    expect(log).toEqual([
      SET,
      'raw off',
      'raw on',
      '\u001b[?1049h\u001b[?2004h\u001b[?1004h\u001b[=1;1u',
      'redraw',
    ]);
  });

  it('does not reset twice when it ends while suspended', async () => {
    const { guard, host, log } = guarded();
    guard.enter(MODES);
    guard.suspend();
    host.emit('SIGTERM');
    await settled();
    expect(log).toEqual([SET, RESET, 'raw off', 'stop', 'reason signal\r\n', 'exit 143']);
  });

  it('leaves no listener behind', () => {
    const { guard, host, stream } = guarded();
    guard.uninstall();
    expect([host.eventNames(), stream.eventNames()]).toEqual([[], []]);
  });

  it('knows the exit codes', () => {
    expect(exitCode({ kind: 'quit' })).toBe(0);
    expect(exitCode({ kind: 'hang-up' })).toBe(129);
  });
});

describe('terminalAbilities (FC-25)', () => {
  it.each([
    [{ TERM: 'xterm-256color' }, { colour: '256', links: true, dumb: false, unicode: true }],
    [
      { TERM: 'xterm-256color', COLORTERM: 'truecolor' },
      { colour: 'true', links: true, dumb: false, unicode: true },
    ],
    [
      { TERM: 'xterm-256color', COLORTERM: 'truecolor', NO_COLOR: '1' },
      { colour: 'none', links: true, dumb: false, unicode: true },
    ],
    [
      { TERM: 'xterm-256color', NO_COLOR: '' },
      { colour: '256', links: true, dumb: false, unicode: true },
    ],
    [{ TERM: 'xterm' }, { colour: '16', links: true, dumb: false, unicode: true }],
    [{ TERM: 'xterm-kitty' }, { colour: 'true', links: true, dumb: false, unicode: true }],
    [
      { TERM: 'dumb', COLORTERM: 'truecolor' },
      { colour: 'none', links: false, dumb: true, unicode: false },
    ],
    [{ TERM: 'linux' }, { colour: '16', links: false, dumb: false, unicode: false }],
    [{}, { colour: 'none', links: false, dumb: false, unicode: true }],
    [
      { TERM: 'screen', LANG: 'de_DE.ISO-8859-1' },
      { colour: '16', links: true, dumb: false, unicode: false },
    ],
    [
      { TERM: 'screen', LC_ALL: 'C.UTF-8', LANG: 'C' },
      { colour: '16', links: true, dumb: false, unicode: true },
    ],
  ])('%j', (env, abilities) => {
    expect(terminalAbilities(env)).toMatchObject(abilities);
  });

  it.each([
    [{ TERM: 'xterm-kitty' }, true],
    [{ TERM: 'xterm-ghostty' }, true],
    [{ TERM: 'xterm-256color', TERM_PROGRAM: 'ghostty' }, true],
    [{ TERM: 'xterm-kitty', TMUX: '/tmp/x,1,0' }, false],
    [{ TERM: 'xterm-kitty', NO_COLOR: '1' }, false],
    [{ TERM: 'xterm-256color' }, false],
  ])('%j draws pictures: %s', (env, pictures) => {
    expect(terminalAbilities(env).pictures).toBe(pictures);
  });
});

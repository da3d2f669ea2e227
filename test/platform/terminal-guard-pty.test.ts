import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { afterEach, describe, expect, it } from 'vitest';
import { type PtyOptions, type PtyProgram, startPty } from '../support/pty.ts';

const MODULE = new URL('../../src/platform/terminal.ts', import.meta.url).href;

/** A full-screen program that is ended in the ways its first argument and the tests choose. */
const PROGRAM = `
  import { guardProcess } from ${JSON.stringify(MODULE)};
  const guard = guardProcess({
    reason: (cause) => 'ended by ' + cause.kind,
    beforeExit: () => {},
    silence: () => undefined,
    redraw: () => process.stdout.write('drawn again'),
  });
  guard.install();
  guard.enter(['alternate-screen', 'bracketed-paste', 'focus-reports', 'kitty-keyboard', 'hidden-cursor']);
  process.stdin.setRawMode(true);
  process.stdin.on('data', (bytes) => {
    const key = String(bytes);
    if (key === 'q') void guard.leave({ kind: 'quit' });
    if (key === 'x') throw new Error('thrown');
    if (key === 'r') void Promise.reject(new Error('rejected'));
    if (key === 'z') guard.suspend();
  });
  process.stdout.write('full screen');
`;
const ARGS = ['--no-warnings', '--input-type=module', '--eval', PROGRAM];

const started: PtyProgram[] = [];

function start(options: Partial<PtyOptions> = {}): PtyProgram {
  const program = startPty({ command: process.execPath, args: ARGS, kittyKeyboard: 'supported', ...options });
  started.push(program);
  return program;
}

afterEach(async () => {
  for (const program of started.splice(0)) await program.dispose();
});

describe('a guarded program (FC-11)', () => {
  it.each<readonly [string, (program: PtyProgram) => void, string, number]>([
    ['its quit key', (program) => program.write('q'), 'quit', 0],
    ['SIGINT', (program) => program.kill('SIGINT'), 'signal', 128 + constants.signals.SIGINT],
    ['SIGTERM', (program) => program.kill('SIGTERM'), 'signal', 128 + constants.signals.SIGTERM],
    ['SIGHUP', (program) => program.kill('SIGHUP'), 'signal', 128 + constants.signals.SIGHUP],
    ['an exception', (program) => program.write('x'), 'fault', 1],
    ['a rejection', (program) => program.write('r'), 'fault', 1],
  ])('gives the terminal back after %s', async (_name, end, kind, code) => {
    const program = start();
    await program.waitFor('full screen');
    expect(program.screen.modes()).toEqual({
      alternate: true,
      bracketedPaste: true,
      focusReports: true,
      mouse: false,
      kittyDepth: 1,
    });
    end(program);
    expect(await program.exit).toEqual({ code, signal: null });
    expect(program.screen.modes()).toEqual({
      alternate: false,
      bracketedPaste: false,
      focusReports: false,
      mouse: false,
      kittyDepth: 0,
    });
    expect(program.screen.text()).toBe(`ended by ${kind}`);
    expect(program.screen.cursor().visible).toBe(true);
  });

  it('ends soon, without load, when the terminal is closed', async () => {
    const program = start();
    await program.waitFor('full screen');
    const closedAt = performance.now();
    program.hangUp();
    expect(await program.exit).toEqual({ code: 128 + constants.signals.SIGHUP, signal: null });
    expect(performance.now() - closedAt).toBeLessThan(2000);
  });

  it('goes on at once when no shell could continue it', async () => {
    const program = start();
    await program.waitFor('full screen');
    program.write('z');
    await program.waitFor('drawn again');
    expect(program.screen.modes().kittyDepth).toBe(1);
  });

  it.skipIf(!existsSync('/bin/bash'))('suspends to the shell and comes back', async () => {
    const program = start({
      command: '/bin/bash',
      args: ['--norc', '--noprofile', '-i'],
      env: { PS1: 'shell> ', NODE: process.execPath, SOURCE: PROGRAM },
    });
    await program.waitFor('shell>');
    program.write('clear; "$NODE" --no-warnings --input-type=module --eval "$SOURCE"\r');
    await program.waitFor('full screen');
    program.write('z');
    await program.waitFor((screen) => !screen.isAlternate() && /Stopped.*shell>$/s.test(screen.text()));
    program.write('fg\r');
    await program.waitFor('drawn again');
    expect(program.screen.modes()).toEqual({
      alternate: true,
      bracketedPaste: true,
      focusReports: true,
      mouse: false,
      kittyDepth: 1,
    });
    program.write('q');
    await program.waitFor('ended by quit');
  });
});

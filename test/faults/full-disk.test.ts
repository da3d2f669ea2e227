/**
 * No room for a session: the turn says so, the service lives, and works again when there is room. Once with the
 * limit of a file's size, which anybody can set, and once with a file system that is really full.
 */
import {
  appendFileSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { TurnTerminal } from '../../src/wire/turn.ts';
import { answeredBy } from '../support/app.ts';
import { type ModelScript, startModelServer } from '../support/model-server.ts';
import { Guest } from './guest.ts';
import { envelopesIn, kindOf } from './loss.ts';
import { report } from './report.ts';
import { type Command, ServiceHome, theProgram } from './service-home.ts';
import { canMount, canUnlimit, mountTmpfs, unlimitFiles, unmount } from './system.ts';

const open: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

const FILE_LIMIT = 'full disk (RLIMIT_FSIZE)';
const TMPFS = 'full disk (tmpfs, ENOSPC)';
/** In KB: no file of the service may grow beyond. */
const limited: Command = (home) => ['bash', '-c', 'ulimit -S -f 64; exec "$@"', 'bash', ...theProgram(home)];

/** `long` fills what a small limit leaves; anything else is answered at once. */
const script: ModelScript = ({ lastUser }) =>
  lastUser.startsWith('long') ? [{ text: 'many words '.repeat(20_000) }] : [{ text: `Heard ${lastUser}.` }];

async function homeWithModel(): Promise<ServiceHome> {
  const model = await startModelServer({ script, chunkChars: 1_000 });
  const home = new ServiceHome({
    settings: answeredBy(model.url),
    env: { NODE_DISABLE_COMPILE_CACHE: '1' },
  });
  open.push(async () => {
    await home.dispose();
    await model.close();
  });
  return home;
}

const NOT_SAVED = {
  status: 'failed',
  persistence: 'failed',
  error: { code: 'persistence_failed' },
} satisfies Partial<Record<keyof TurnTerminal, unknown>>;
const SAVED = { status: 'completed', persistence: 'committed', error: null };

describe('a full disk', () => {
  it.runIf(canUnlimit(FILE_LIMIT))('as a limit of the size of a file', async () => {
    const home = await homeWithModel();
    const service = await home.start(limited);
    const guest = await Guest.enter(home);
    expect(await guest.turn('first')).toMatchObject(SAVED);
    expect(await guest.turn('long')).toMatchObject(NOT_SAVED);
    expect(await guest.turn('long again')).toMatchObject(NOT_SAVED);
    const other = await Guest.enter(home);
    expect(await other.turn('elsewhere')).toMatchObject(SAVED);
    unlimitFiles(service.pid);
    expect(await guest.turn('again')).toMatchObject(SAVED);
    expect(service.isRunning).toBe(true);
    expectWhole(home, guest);
    report(FILE_LIMIT, 'failed/persistence_failed twice, another session went on, works again with room');
  });

  it('a half-written line of a full disk is put right by the next service', async () => {
    const home = await homeWithModel();
    const service = await home.start(limited);
    const guest = await Guest.enter(home);
    expect(await guest.turn('long')).toMatchObject(NOT_SAVED);
    await service.end('SIGKILL');
    const file = home.file(guest.session.sessionId);
    expect(readFileSync(file, 'utf8').endsWith('\n')).toBe(false);
    await home.start();
    const again = await Guest.enter(home, guest.session.sessionId);
    expect(await again.turn('again')).toMatchObject(SAVED);
    expectWhole(home, again);
    report('torn last line of a full disk, then kill -9', 'repaired, the session goes on');
  });

  it.runIf(canMount(TMPFS))('as a small file system', async () => {
    const home = await homeWithModel();
    mountTmpfs(home.state, 'size=3m');
    open.push(() => unmount(home.state));
    const service = await home.start();
    const guest = await Guest.enter(home);
    expect(await guest.turn('first')).toMatchObject(SAVED);
    const ballast = join(home.state, 'ballast');
    fill(ballast, join(home.state, 'logs'));
    expect(await guest.turn('long')).toMatchObject(NOT_SAVED);
    expect(await guest.turn('long again')).toMatchObject(NOT_SAVED);
    await expect(guest.connection.request('session.create', {})).rejects.toMatchObject({
      code: 'session_unavailable',
    });
    rmSync(ballast);
    expect(await guest.turn('again')).toMatchObject(SAVED);
    expect(service.isRunning).toBe(true);
    expectWhole(home, guest);
    report(TMPFS, 'failed/persistence_failed twice, no new session, works again with room');
    guest.leave();
    await service.end('SIGTERM');
  });
});

function expectWhole(home: ServiceHome, guest: Guest): void {
  const kinds = envelopesIn(home.file(guest.session.sessionId)).map(kindOf);
  expect(kinds.at(-1)).toBe('turn-end');
}

/** Writes until nothing more fits, not even into the last page of a log file. */
function fill(path: string, logs: string): void {
  const { bavail, bsize } = statfsSync(logs);
  for (const name of readdirSync(logs)) {
    const log = join(logs, name);
    appendFileSync(log, '\n'.repeat(bsize - (statSync(log).size % bsize)));
  }
  for (let bytes = bavail * bsize; bytes > 0; bytes = Math.floor(bytes / 2))
    try {
      writeFileSync(path, Buffer.alloc(bytes), { flag: 'a' });
    } catch {
      // Smaller pieces may still fit.
    }
}

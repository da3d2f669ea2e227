/** Eight ways in which a service cannot be reached, each with its own sentence and a next step (PROTOCOL.md, "Endpoint"). */
import { once } from 'node:events';
import { chmodSync, linkSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openConnection } from '../../src/client/connection.ts';
import { encodeRecord } from '../../src/wire/json.ts';
import { TRACE_IDENTITY } from '../support/traces.ts';
import { failureOf } from './helpers.ts';

let directory = '';
const ends: (() => Promise<void>)[] = [];
beforeEach(() => {
  directory = mkdtempSync('/tmp/magi-eight-');
  chmodSync(directory, 0o700);
});
afterEach(async () => {
  await Promise.all(ends.splice(0).map((end) => end()));
  rmSync(directory, { recursive: true, force: true });
});

/** A listening socket that does this with whoever comes. */
async function listen(name: string, greet: (peer: Socket) => void): Promise<string> {
  const path = join(directory, name);
  const peers: Socket[] = [];
  const server = createServer((peer) => {
    peers.push(peer.on('error', () => undefined));
    greet(peer);
  });
  server.listen(path);
  await once(server, 'listening');
  chmodSync(path, 0o600);
  ends.push(async () => {
    for (const peer of peers) peer.destroy();
    await new Promise((done) => server.close(done));
  });
  return path;
}

async function stale(): Promise<string> {
  const path = await listen('dead.sock', () => undefined);
  linkSync(path, join(directory, 'stale.sock'));
  await ends.pop()?.();
  return join(directory, 'stale.sock');
}

const { workspace, stateRoot } = TRACE_IDENTITY;
const other = { version: '9.9.9', workspace, state_root: stateRoot, status: 'incompatible' };
const limit = process.platform === 'darwin' ? 103 : 107;

const CASES: readonly (readonly [
  name: string,
  path: () => Promise<string>,
  code: string,
  sentence: RegExp,
])[] = [
  ['absent', async () => join(directory, 'none.sock'), 'endpoint_absent', /^No service is running/],
  ['stale', stale, 'endpoint_stale', /only its socket is left/],
  [
    'not a socket',
    async () => {
      const path = join(directory, 'file.sock');
      writeFileSync(path, '', { mode: 0o600 });
      return path;
    },
    'endpoint_not_socket',
    /file\.sock is in the way: it is not a socket/,
  ],
  [
    'no rights',
    async () => {
      const path = await listen('open.sock', () => undefined);
      chmodSync(path, 0o666);
      return path;
    },
    'endpoint_unsafe',
    /^Other users may open .*open\.sock/,
  ],
  [
    'path too long',
    async () => join(directory, 'a'.repeat(limit - directory.length)),
    'endpoint_path_too_long',
    new RegExp(`has ${limit + 1} bytes; this system allows ${limit}\\.`),
  ],
  ['silent peer', () => listen('silent.sock', () => undefined), 'endpoint_silent', /does not answer/],
  [
    'other version',
    () =>
      listen('other.sock', (peer) => {
        peer.once('data', () => peer.end(encodeRecord(other)));
      }),
    'version_mismatch',
    /has version 9\.9\.9, this program 0\.80\.2/,
  ],
  [
    'closed at once',
    () => listen('closing.sock', (peer) => peer.destroy()),
    'endpoint_closed',
    /closed the connection/,
  ],
];

test.each(CASES)('%s', async (_name, path, code, sentence) => {
  const failure = await failureTo(await path());
  expect(failure.code).toBe(code);
  expect(failure.sentence).toMatch(sentence);
  expect(failure.next).toMatch(/^[A-Z].*\.$/);
});

test('no two of them read alike', async () => {
  const said: string[] = [];
  for (const [, path] of CASES) said.push((await failureTo(await path())).sentence);
  expect(new Set(said).size).toBe(CASES.length);
});

test('a folder without rights says so', async (context) => {
  if (process.geteuid?.() === 0) return context.skip('root has all rights');
  mkdirSync(join(directory, 'shut'), { mode: 0o700 });
  chmodSync(join(directory, 'shut'), 0o000);
  ends.push(async () => chmodSync(join(directory, 'shut'), 0o700));
  const failure = await failureTo(join(directory, 'shut', 's.sock'), join(directory, 'shut'));
  expect([failure.code, failure.sentence]).toEqual([
    'endpoint_unsafe',
    expect.stringContaining('no rights to its folder'),
  ]);
});

function failureTo(socket: string, folder = directory) {
  return failureOf(
    openConnection({
      directory: folder,
      socket,
      identity: TRACE_IDENTITY,
      version: '0.80.2',
      timeoutMs: 300,
    }),
  );
}

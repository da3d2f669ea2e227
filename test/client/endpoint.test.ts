/** Which endpoints may be connected to (PROTOCOL.md, "Endpoint"). */
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { checkEndpoint } from '../../src/client/endpoint.ts';
import { connectLineSocket } from '../../src/client/line-socket.ts';
import { failureOf } from './helpers.ts';

let root = '';
let directory = '';
let socket = '';
let server: Server;
beforeEach(async () => {
  root = mkdtempSync('/tmp/magi-endpoint-');
  directory = join(root, 'd');
  socket = join(directory, 's.sock');
  mkdirSync(directory, { mode: 0o700 });
  server = createServer((peer) => peer.end());
  server.listen(socket);
  await once(server, 'listening');
  chmodSync(socket, 0o600);
});
afterEach(async () => {
  await new Promise((resolve) => server.close(resolve));
  rmSync(root, { recursive: true, force: true });
});

test('a private socket in a private folder is good', async () => {
  expect(await checkEndpoint({ directory, socket })).toBeNull();
});

const limit = process.platform === 'darwin' ? 103 : 107;
const filled = (bytes: number) => `/tmp/${'a'.repeat(bytes - 5)}`;

describe('refused', () => {
  test.each<
    [
      name: string,
      prepare: () => { directory: string; socket: string },
      code: string,
      sentence: string | RegExp,
    ]
  >([
    [
      'no folder',
      () => ({ directory: join(root, 'none'), socket: join(root, 'none', 's.sock') }),
      'endpoint_absent',
      'No service is running for this folder.',
    ],
    [
      'no socket',
      () => ({ directory, socket: join(directory, 'none.sock') }),
      'endpoint_absent',
      'No service is running for this folder.',
    ],
    [
      'a linked folder',
      () => {
        symlinkSync(directory, join(root, 'link'));
        return { directory: join(root, 'link'), socket: join(root, 'link', 's.sock') };
      },
      'endpoint_unsafe',
      /\/link is a symbolic link, not a folder\.$/,
    ],
    [
      'a file for a folder',
      () => ({ directory: socket, socket }),
      'endpoint_unsafe',
      /\/s\.sock is no folder\.$/,
    ],
    [
      'an open folder',
      () => {
        chmodSync(directory, 0o750);
        return { directory, socket };
      },
      'endpoint_unsafe',
      /^Other users may open .*\/d\.$/,
    ],
    [
      'an open socket',
      () => {
        chmodSync(socket, 0o602);
        return { directory, socket };
      },
      'endpoint_unsafe',
      /^Other users may open .*\/s\.sock\.$/,
    ],
    [
      'a linked socket',
      () => {
        symlinkSync(socket, join(directory, 'link.sock'));
        return { directory, socket: join(directory, 'link.sock') };
      },
      'endpoint_unsafe',
      /\/link\.sock is a symbolic link, not a socket\.$/,
    ],
    [
      'a plain file',
      () => {
        writeFileSync(join(directory, 'file.sock'), '', { mode: 0o600 });
        return { directory, socket: join(directory, 'file.sock') };
      },
      'endpoint_not_socket',
      /\/file\.sock is in the way: it is not a socket\.$/,
    ],
    [
      'a long path',
      () => ({ directory: '/tmp', socket: filled(limit + 1) }),
      'endpoint_path_too_long',
      `The path of the socket has ${limit + 1} bytes; this system allows ${limit}.`,
    ],
  ])('%s', async (_name, prepare, code, sentence) => {
    const failure = await checkEndpoint(prepare());
    expect(failure?.code).toBe(code);
    expect(failure?.sentence).toMatch(sentence);
  });

  test.runIf(process.geteuid?.() === 0)('another owner', async () => {
    chownSync(socket, 12_345, 12_345);
    const sentence = async () => (await checkEndpoint({ directory, socket }))?.sentence;
    expect(await sentence()).toBe(`${socket} belongs to another user.`);
    chownSync(directory, 12_345, 12_345);
    expect(await sentence()).toBe(`${directory} belongs to another user.`);
  });

  test('the longest path is not too long', async () => {
    expect((await checkEndpoint({ directory, socket: filled(limit) }))?.code).toBe('endpoint_absent');
  });
});

describe('found by connecting', () => {
  test('a socket without a service is stale', async () => {
    const held = join(directory, 'stale.sock');
    const dying = createServer();
    dying.listen(held);
    await once(dying, 'listening');
    // Closing removes the path; a second name keeps the dead socket.
    linkSync(held, join(directory, 'left.sock'));
    await new Promise((resolve) => dying.close(resolve));
    expect((await failureOf(connectLineSocket(join(directory, 'left.sock'), 1_000))).code).toBe(
      'endpoint_stale',
    );
  });

  test('a socket that vanished after the check is absent', async () => {
    expect((await failureOf(connectLineSocket(join(directory, 'none.sock'), 1_000))).code).toBe(
      'endpoint_absent',
    );
  });
});

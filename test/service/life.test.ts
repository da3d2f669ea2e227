import { lstatSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { endpointPaths } from '../../src/platform/paths.ts';
import { openEndpoint, privateFolder } from '../../src/service/endpoint/endpoint.ts';
import { IdleWatch } from '../../src/service/endpoint/idle-watch.ts';
import { serviceKey } from '../../src/wire/identity.ts';
import { hold, start, startWorld, type World } from './harness.ts';
import { ManualClock } from './manual-clock.ts';

let world: World | null = null;
afterEach(async () => {
  await world?.close();
  world = null;
});

describe('the end', () => {
  test('stop is refused while anybody is connected or anything runs', async () => {
    world = await startWorld();
    const client = await world.client();
    await start(client, await hold(client), 'Go');
    const busy = world.hello('stop');
    await busy.untilClosed();
    expect(busy.records[0].status).toBe('busy');
    client.socket.destroy();
    const still = world.hello('stop');
    await still.untilClosed();
    expect(still.records[0].status).toBe('busy');
    world.agent.last.complete();
    for (let status = 'busy'; status !== 'stopped'; ) {
      const stop = world.hello('stop');
      await stop.untilClosed();
      status = stop.records[0].status;
    }
    await world.service.done;
    expect(lstatSync(world.service.socket, { throwIfNoEntry: false })).toBeUndefined();
  });

  test('comes by itself when nobody is there', async () => {
    world = await startWorld({ timing: { idleShutdownMs: 20, startupGraceMs: 0 } });
    await world.service.done;
    expect(lstatSync(world.service.socket, { throwIfNoEntry: false })).toBeUndefined();
  });

  test('waits for the grace, for idleness, and for a full minute of it', () => {
    const clock = new ManualClock();
    let idle = true;
    let ended = 0;
    const watch = new IdleWatch(
      clock,
      { idleShutdownMs: 60, startupGraceMs: 100 },
      () => idle,
      () => {
        ended += 1;
      },
    );
    watch.check();
    clock.advance(99);
    idle = false;
    watch.check();
    clock.advance(1_000);
    idle = true;
    watch.check();
    clock.advance(59);
    expect(ended).toBe(0);
    clock.advance(1);
    expect(ended).toBe(1);
    watch.close();
  });

  test('ends connections that do not initialize, do not finish a frame, or hang up', async () => {
    const clock = new ManualClock();
    world = await startWorld({ clock });
    const silent = world.hello('connect');
    await silent.until(() => silent.records.length === 1);
    const partial = await world.client();
    partial.raw('{"half":');
    while (!silent.closed || !partial.closed) {
      clock.advance(5_000);
      await new Promise((resolve) => setImmediate(resolve));
    }
    const half = await world.client();
    half.socket.end();
    await half.untilClosed();
  });
});

describe('the endpoint', () => {
  const where = () => {
    const workspace = realpathSync(mkdtempSync(join(tmpdir(), 'mt-endpoint-')));
    const paths = endpointPaths(serviceKey(workspace, workspace));
    const clean = () => {
      for (const path of [workspace, paths.lock, paths.socket])
        rmSync(path, { recursive: true, force: true });
    };
    return { workspace, paths, clean };
  };

  test('is private', async () => {
    world = await startWorld();
    expect(lstatSync(world.service.socket).mode & 0o777).toBe(0o600);
    expect(privateFolder(join(world.service.socket, '..'))).toBeNull();
  });

  test('is one per folder and state root', async () => {
    world = await startWorld();
    const again = await openEndpoint(world.workspace, world.stateRoot, createServer());
    expect(again).toEqual({
      ok: false,
      reason: 'The service is already starting or running for this folder.',
    });
  });

  test('takes the place of a dead socket, and of nothing else', async () => {
    const { clean, paths, workspace } = where();
    privateFolder(paths.directory);
    writeFileSync(paths.socket, 'a file');
    const blocked = await openEndpoint(workspace, workspace, createServer());
    expect(blocked).toMatchObject({ ok: false, reason: expect.stringContaining(paths.socket) });
    rmSync(paths.socket);
    const alive = createServer();
    await new Promise<void>((resolve) => alive.listen(paths.socket, resolve));
    expect(await openEndpoint(workspace, workspace, createServer())).toMatchObject({ ok: false });
    await new Promise((resolve) => alive.close(resolve));
    clean();
  });

  test('refuses folders that others can enter, and links', () => {
    const folder = mkdtempSync(join(tmpdir(), 'mt-open-'));
    expect(privateFolder(join(folder, 'new'))).toBeNull();
    rmSync(folder, { recursive: true });
    expect(privateFolder('/tmp')).toContain('/tmp');
    expect(privateFolder('/dev/null')).toContain('not a real folder');
  });
});

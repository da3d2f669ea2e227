import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp, realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { endpointPaths } from '../../src/platform/paths.ts';
import { runService } from '../../src/service/main.ts';
import { serviceKey } from '../../src/wire/identity.ts';
import { program } from '../agent/mcp/world.ts';
import { isAlive } from '../agent/support.ts';
import { hold, start, VERSION, WireClient } from './harness.ts';

async function folder(): Promise<string> {
  const path = await realpath(await mkdtemp(join(tmpdir(), 'mt-mcp-')));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

test('servers are started by the first turn, and end with the service', async () => {
  const [workspace, stateRoot] = [await folder(), await folder()];
  const settingsFile = join(stateRoot, 'settings.json');
  const pidFile = join(stateRoot, 'pid');
  const server = { ...program(), env: { PID_FILE: pidFile } };
  writeFileSync(
    settingsFile,
    JSON.stringify({ workspaces: { [workspace]: { mcpServers: { fix: server } } } }),
  );
  const env = { ...process.env, MAGI_TERM_PROVIDER: 'demo' };
  const ended = runService({ workspace, stateRoot, settingsFile, env, version: VERSION, detached: true });
  const { lock, socket } = endpointPaths(serviceKey(workspace, stateRoot));
  onTestFinished(() => rmSync(lock, { force: true }));
  const greet = (action: string): WireClient => {
    const client = new WireClient(socket);
    client.send({ version: VERSION, workspace, state_root: stateRoot, action });
    return client;
  };
  const client = await connected(() => greet('connect'));
  const pid = (): string => readFileSync(pidFile, 'utf8');
  expect(pid).toThrow('ENOENT');
  await start(client, await hold(client), 'list');
  await client.event('turn.terminal');
  const isThere = (): boolean => {
    try {
      return isAlive(readFileSync(`/proc/${pid()}/status`, 'utf8'));
    } catch {
      return false;
    }
  };
  expect(isThere()).toBe(true);
  client.socket.destroy();
  await stopped(() => greet('stop'));
  expect(await ended).toBe(0);
  expect(isThere()).toBe(false);
});

/** Tries until the service listens. */
async function connected(greet: () => WireClient): Promise<WireClient> {
  for (;;) {
    const client = greet();
    try {
      await client.initialize();
      return client;
    } catch {
      client.socket.destroy();
    }
  }
}

/** Tries until the service has noticed that nobody is there. */
async function stopped(greet: () => WireClient): Promise<void> {
  for (;;) {
    const client = greet();
    const [answer] = await client.until(() => (client.records.length > 0 ? client.records : null));
    client.socket.destroy();
    if (answer?.status === 'stopped') return;
  }
}

/** The service as a process of its own: started, found, stopped, killed. */
import { spawn } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { serviceAction, startOrConnect } from '../../src/cli/launch.ts';
import { endpointPaths } from '../../src/platform/paths.ts';
import { serviceKey } from '../../src/wire/identity.ts';
import { claim, createSession, replay, start, VERSION, WireClient } from '../service/harness.ts';

const CHILD = new URL('../service/child-service.ts', import.meta.url).pathname;
let workspace: string;
let stateRoot: string;

beforeEach(() => {
  workspace = realpathSync(mkdtempSync(join(tmpdir(), 'mt-launch-')));
  stateRoot = realpathSync(mkdtempSync(join(tmpdir(), 'mt-state-')));
});
afterEach(async () => {
  await serviceAction({ ...where(), action: 'stop' });
  const paths = endpointPaths(serviceKey(workspace, stateRoot));
  for (const path of [workspace, stateRoot, paths.lock, paths.socket])
    rmSync(path, { recursive: true, force: true });
});

const where = () => ({ workspace, stateRoot, version: VERSION });
const command = () => [process.execPath, CHILD, workspace, stateRoot];
const pidOf = (): number => {
  const folder = join(stateRoot, 'logs');
  const log = `service-${serviceKey(workspace, stateRoot).slice(0, 8)}.log`;
  const ready = readFileSync(join(folder, log), 'utf8')
    .split('\n')
    .findLast((line) => line.includes('service ready'));
  return JSON.parse(ready ?? '{}').pid;
};

test('starters at the same time find one service; it is stopped when idle', async () => {
  expect(await serviceAction({ ...where(), action: 'status' })).toMatchObject({ ok: false });
  const all = await Promise.all([1, 2, 3].map(() => startOrConnect({ ...where(), command: command() })));
  const info = {
    socket: endpointPaths(serviceKey(workspace, stateRoot)).socket,
    state_root: stateRoot,
    status: 'ready',
    version: VERSION,
    workspace,
  };
  expect(all).toEqual([
    { ok: true, info },
    { ok: true, info },
    { ok: true, info },
  ]);
  const other = await serviceAction({ ...where(), version: '1', action: 'stop' });
  expect(other).toMatchObject({ ok: false, reason: expect.stringContaining(VERSION) });
  const stopped = await serviceAction({ ...where(), action: 'stop' });
  expect(stopped).toEqual({ ok: true, info: { ...info, status: 'stopped' } });
});

test('a child that dies at once is quoted', async () => {
  writeFileSync(
    join(workspace, 'bad.mjs'),
    'console.error("first"); console.error("no luck today"); process.exit(3)',
  );
  const launch = await startOrConnect({
    ...where(),
    command: [process.execPath, join(workspace, 'bad.mjs')],
  });
  expect(launch).toEqual({ ok: false, reason: 'no luck today' });
});

test('a state root that cannot be written is one clear line', async () => {
  const blocked = join(stateRoot, 'file');
  writeFileSync(blocked, '');
  const child = spawn(process.execPath, [CHILD, workspace, blocked], { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', (chunk) => {
    said += chunk;
  });
  const code = await new Promise((resolve) => child.once('close', resolve));
  expect([code, said.trim().split('\n').length]).toEqual([1, 1]);
  expect(said).toContain(blocked);
});

test('killed in mid-turn: what was accepted is there afterwards, and the next service starts', async () => {
  await startOrConnect({ ...where(), command: command() });
  const connectIt = async () => {
    const client = new WireClient(endpointPaths(serviceKey(workspace, stateRoot)).socket);
    client.send({ version: VERSION, workspace, state_root: stateRoot, action: 'connect' });
    await client.initialize();
    return client;
  };
  const client = await connectIt();
  const session = await createSession(client);
  const held = await claim(client, session);
  await start(client, held, 'stream');
  const file = join(stateRoot, 'sessions', `${session}.jsonl`);
  await client.until(() => readFileSync(file, 'utf8').includes('word'));
  process.kill(pidOf(), 'SIGKILL');
  await client.untilClosed();
  appendFileSync(file, '{"id":"to');
  expect(await startOrConnect({ ...where(), command: command() })).toMatchObject({ ok: true });
  const again = await connectIt();
  await claim(again, session);
  const { events } = await replay(again, session);
  expect(events.map((event: { role?: string; kind: string }) => event.role ?? event.kind)).toEqual([
    'user',
    'assistant',
    'terminal',
  ]);
  expect(events[1].text).toMatch(/^word /);
  process.kill(pidOf(), 'SIGTERM');
  await again.untilClosed();
  expect(existsSync(file)).toBe(true);
});

import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { endpointPaths } from '../../src/platform/paths.ts';
import { VERSION } from '../../src/platform/version.ts';
import { serviceKey } from '../../src/wire/identity.ts';
import { AppHome, answeredBy } from '../support/app.ts';
import { startModelServer } from '../support/model-server.ts';

const DEMO = { provider: 'demo', model: 'demo-1' };
const open: (() => Promise<void>)[] = [];

function home(...args: ConstructorParameters<typeof AppHome>): AppHome {
  const made = new AppHome(...args);
  open.push(() => made.dispose());
  return made;
}

afterEach(async () => {
  for (const close of open.splice(0).toReversed()) await close();
});

describe('what cannot work', () => {
  it.each([['TERM=dumb', { TERM: 'dumb' }, /TERM=dumb has no cursor to move/]])(
    '%s is told in one line, with code 2 and without an escape',
    async (_name, env, reason) => {
      const program = home({ settings: DEMO }).start({ env });
      expect(await program.exit).toEqual({ code: 2, signal: null });
      expect(program.screen.text().trim()).toMatch(reason);
      expect(program.bytes()).not.toContain('\u001b');
    },
  );

  it('no terminal is told in one line', async () => {
    const outcome = await home({ settings: DEMO }).command([]);
    expect(outcome).toEqual({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/^magi-term: this is a full-screen program: .+\n$/),
    });
  });

  it('a broken settings file is named with its place, and not touched', async () => {
    const user = home();
    writeFileSync(user.settingsFile, '{\n  "provider": "demo",\n  oops\n}');
    const program = user.start({ cols: 200 });
    expect(await program.exit).toEqual({ code: 1, signal: null });
    expect(program.screen.text()).toMatch(/settings\.json:3:\d+: not valid JSON\. Mend the file/);
    expect(readFileSync(user.settingsFile, 'utf8')).toContain('oops');
  });

  it('an unknown setting is a warning only', async () => {
    const user = home({ settings: { ...DEMO, colour: 'blue' } });
    const outcome = await user.command(['config', 'get', 'provider']);
    expect(outcome).toMatchObject({ code: 0, stdout: 'demo\n' });
    const program = user.start();
    await program.waitFor('ready');
  });

  it('a folder that does not exist, an unknown flag and an unknown setting are usage errors', async () => {
    const user = home({ settings: DEMO });
    expect(await user.command(['daemon', 'status', '--workspace', '/nowhere/at/all'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Choose a folder with --workspace'),
    });
    expect(await user.command(['--frobnicate'])).toMatchObject({ code: 2 });
    expect(await user.command(['config', 'set', 'colour', 'blue'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('allow.bash'),
    });
  });

  it('a state folder that is a file is told with the next step', async () => {
    const user = home();
    const file = join(user.root, 'file');
    writeFileSync(file, '');
    const outcome = await user.command(['daemon', 'start-or-connect', '--state-root', file]);
    expect(outcome).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/Set MAGI_TERM_HOME or --state-root/),
    });
  });

  it('a state folder that cannot be made is told in one line', async () => {
    const outcome = await home().command(['daemon', 'start-or-connect', '--state-root', '/dev/null/state']);
    expect(outcome).toMatchObject({ code: 2, stderr: expect.stringMatching(/^magi-term: .+\n$/) });
  });

  it('a state folder that the service cannot use is told on the screen, and mending it is enough', async () => {
    const user = home({ settings: DEMO });
    const logs = join(user.state, 'logs');
    writeFileSync(logs, 'in the way');
    const program = user.start({ cols: 160 });
    await program.waitFor(/The service did not start\. .*state folder/, { timeoutMs: 20_000 });
    rmSync(logs);
    await program.waitFor('ready', { timeoutMs: 20_000 });
  });

  it('a magi-code that cannot be used is told with its own words, or why it is not even asked', async () => {
    const user = home({ settings: DEMO });
    expect(await user.command(['--service', 'magi-code'])).toMatchObject({ code: 2 });
    const script = join(user.root, 'magi-code');
    writeFileSync(script, '#!/bin/sh\nprintf "Error: it\\033[31m broke\\nmore" >&2\nexit 1\n', {
      mode: 0o755,
    });
    const program = user.start({ args: ['--service', script], cols: 200 });
    const asRoot = 'magi-code refuses to run as root: start magi-term as an ordinary user.';
    await program.waitFor(process.geteuid?.() === 0 ? asRoot : 'did not give a service: it broke.');
  });

  it('something else in place of the socket is named on the screen, and left alone', async () => {
    const user = home({ settings: DEMO });
    const { socket, directory } = endpointPaths(serviceKey(user.workspace, user.state));
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    writeFileSync(socket, 'mine', { mode: 0o600 });
    open.push(async () => rmSync(socket));
    const program = user.start({ cols: 120 });
    await program.waitFor('is in the way: it is not a socket');
    expect(readFileSync(socket, 'utf8')).toBe('mine');
    program.press('ctrl+d');
    expect(await program.exit).toMatchObject({ code: 0 });
  });

  it('a service of another version is named, asked to stop, and followed by ours once it is idle', async () => {
    const user = home({ settings: DEMO });
    const { socket, directory } = endpointPaths(serviceKey(user.workspace, user.state));
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    let busy = true;
    const asked: string[] = [];
    const server = createServer((peer) =>
      peer.once('data', (line) => {
        const { action, version } = JSON.parse(String(line));
        asked.push(`${version} ${action}`);
        const stopped = version === '9.9.9' && action === 'stop' && !busy;
        const status = version !== '9.9.9' ? 'incompatible' : stopped ? 'stopped' : 'busy';
        const where = { workspace: user.workspace, state_root: user.state };
        peer.end(`${JSON.stringify({ version: '9.9.9', ...where, status })}\n`);
        if (stopped) server.close();
      }),
    );
    await new Promise<void>((done) => server.listen(socket, done));
    chmodSync(socket, 0o600);
    open.push(() => new Promise((done) => server.close(() => done())));
    const program = user.start({ cols: 160 });
    await program.waitFor((screen) => screen.text().includes('9.9.9') && screen.text().includes(VERSION));
    expect(asked).toContain('9.9.9 stop');
    busy = false;
    await program.waitFor('ready', { timeoutMs: 20_000 });
  });
});

describe('a model server that fails', () => {
  it('that is dead: the turn fails with a reason, the text stays, the next one works', async () => {
    const server = await startModelServer({ script: () => [{ text: 'unreachable' }] });
    await server.close();
    const user = home({ settings: answeredBy(server.url) });
    const program = user.start();
    await program.waitFor('ready');
    await program.type('anyone?');
    program.press('enter');
    await program.waitFor(/✗ failed: The model server at 127\.0\.0\.1:\d+ cannot be reached/, {
      timeoutMs: 30_000,
    });
    expect(program.screen.text()).toContain('anyone?');
    await program.waitFor('ready');
  });

  it('that refuses the key: what to do is on the screen, and nothing that the server said', async () => {
    const server = await startModelServer({ script: () => [{ error: 401 }] });
    open.push(() => server.close());
    const program = home({ settings: answeredBy(server.url) }).start();
    await program.waitFor('ready');
    await program.type('open up');
    program.press('enter');
    await program.waitFor('✗ failed: The model server refuses the key (401).', { timeoutMs: 20_000 });
  });

  it('that lies: garbage instead of a stream fails the turn, not the program', async () => {
    const server = await startModelServer({
      script: () => [{ text: 'Half a sen' }, { raw: 'data: {"choices": [{{{\n\n' }],
    });
    open.push(() => server.close());
    const user = home({ settings: answeredBy(server.url) });
    const program = user.start();
    await program.waitFor('ready');
    await program.type('speak');
    program.press('enter');
    await program.waitFor('✗ failed: The answer of the model server could not be used.', {
      timeoutMs: 30_000,
    });
    await program.waitFor('ready');
  });
});

describe('colour', () => {
  it('is absent with NO_COLOR, and the screen still works', async () => {
    const program = home({ settings: DEMO }).start({ env: { NO_COLOR: '1' } });
    await program.waitFor('ready');
    await program.type('hello');
    program.press('enter');
    await program.waitFor('Demo model');
    expect(program.bytes()).not.toMatch(/\u001b\[[0-9;]*(?:3[0-8]|4[0-8]|9[0-7]|10[0-7])[;m]/);
  });
});

/** Signing in and out by command, with a made-up issuer on this machine. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { keepOutput, registerSecret } from '../secrets/ledger.ts';
import { AppHome } from '../support/app.ts';
import { OAuthIssuer } from '../support/oauth-issuer.ts';
import { type PtyProgram, startPty } from '../support/pty.ts';

const BIN = resolve(import.meta.dirname, '../../bin/magi-term.js');
const KEY = 'sk-made-up-key-0001';
registerSecret('key', KEY);

let issuer: OAuthIssuer;
let user: AppHome;
beforeEach(async () => {
  issuer = await OAuthIssuer.start();
  user = new AppHome({ env: issuer.env });
});
afterEach(async () => {
  await user.dispose();
  await issuer.close();
});

/** All that is kept of this user but the store of credentials itself. */
function keptText(): string {
  const walk = (folder: string): string[] =>
    readdirSync(folder).flatMap((name) => {
      const path = join(folder, name);
      if (name === 'auth.json') return [];
      if (statSync(path).isDirectory()) return walk(path);
      return statSync(path).isFile() ? [readFileSync(path, 'utf8')] : [];
    });
  return walk(user.state).join('\n');
}

function expectNoSecrets(...texts: readonly string[]): void {
  expect(issuer.secrets.length).toBeGreaterThan(1);
  for (const secret of [...issuer.secrets, KEY])
    for (const text of [keptText(), ...texts]) expect(text.includes(secret)).toBe(false);
}

async function status(): Promise<Record<string, unknown> | undefined> {
  const { stdout } = await user.command(['auth', 'status', '--json']);
  const providers = JSON.parse(stdout) as Record<string, unknown>[];
  return providers.find(({ provider_id: id }) => id === 'openai-codex');
}

it('signs in by the browser and out again, and tells nobody the secrets', async () => {
  expect(await status()).toMatchObject({ readiness: 'missing', ready: false });
  const program = user.start({ args: ['login', '--no-browser'], cols: 600 });
  await program.waitFor(/Open this link:\nhttp:\/\/127\.0\.0\.1:\d+\/\S+/);
  const [, url = ''] = /\n(http:\S+)/.exec(program.screen.text()) ?? [];
  expect((await fetch(await issuer.agree(url))).status).toBe(200);
  expect((await program.exit).code).toBe(0);
  expect(program.screen.text()).toMatch(/An answer has come\.[\s\S]*You are signed in\./);
  expect(await status()).toMatchObject({ readiness: 'ready', source: 'shared_store', auth_method: 'oauth' });

  const out = await user.command(['logout', 'openai-codex']);
  expect(out).toMatchObject({ code: 0, stdout: 'Signed out of openai-codex.\n' });
  expect(out.stderr).toContain('Keys in the environment stay');
  expect(await status()).toMatchObject({ readiness: 'missing' });
  expect(await user.command(['logout', 'openai-codex'])).toMatchObject({
    stdout: 'Nothing was stored for openai-codex.\n',
  });
  expectNoSecrets(out.stdout, out.stderr, program.bytes().replace(url, ''));
});

it('takes a pasted address without showing it', async () => {
  const program = user.start({ args: ['login', '--no-browser'], cols: 600 });
  await program.waitFor('paste the final address');
  const [, url = ''] = /\n(http:\S+)/.exec(program.screen.text()) ?? [];
  const address = await issuer.agree(url);
  const mark = program.mark();
  program.write(`${address}\r`);
  expect((await program.exit).code).toBe(0);
  expect(program.bytesSince(mark)).not.toContain('code=');
  expect(program.screen.text()).toContain('You are signed in.');
  expectNoSecrets(program.bytesSince(mark));
});

it('says that the callback port is taken, and what to do', async () => {
  const squatter = createServer().listen(0, '127.0.0.1');
  await once(squatter, 'listening');
  const { port } = squatter.address() as AddressInfo;
  try {
    const env = { MAGI_TERM_OAUTH_CALLBACK_PORT: String(port) };
    const program = user.start({ args: ['login', '--no-browser'], cols: 600, env });
    await program.waitFor(`Port ${port} of this machine is taken, so the browser cannot come back by itself`);
    const [, url = ''] = /\n(http:\S+)/.exec(program.screen.text()) ?? [];
    program.write(`${await issuer.agree(url)}\r`);
    expect((await program.exit).code).toBe(0);
  } finally {
    squatter.close();
  }
});

it('prints the link alone for scripts, and takes the answer from a pipe', async () => {
  const script = spawn(process.execPath, [BIN, 'login', '--print-url'], {
    cwd: user.workspace,
    env: { ...process.env, ...issuer.env, HOME: user.root, MAGI_TERM_HOME: user.state },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let stdout = '';
  script.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  let stderr = '';
  script.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  while (!stdout.includes('\n')) await once(script.stdout, 'data');
  expect(stdout).toMatch(/^http:\/\/127\.0\.0\.1\S+\n$/);
  script.stdin.write(`${await issuer.agree(stdout.trim())}\n`);
  const [code] = await once(script, 'close');
  keepOutput('command', stdout + stderr);
  expect([code, stdout.split('\n').length]).toEqual([0, 2]);
  expect(await status()).toMatchObject({ ready: true });
});

it('says what is wrong with what was pasted, and Ctrl+C waits for the real end', async () => {
  const wrong = user.start({ args: ['login', '--no-browser'] });
  await wrong.waitFor('paste the final address');
  wrong.write('http://localhost:1455/auth/callback?code=x&state=of-somebody-else\r');
  expect((await wrong.exit).code).toBe(1);
  expect(wrong.screen.text()).toContain('does not belong to this sign-in');

  const broken = user.start({ args: ['login', '--no-browser'] });
  await broken.waitFor('paste the final address');
  broken.write('\u0003');
  expect((await broken.exit).code).toBe(130);
  expect(broken.screen.text()).toMatch(/Cancelling\.\s+The sign-in was cancelled\./);
});

it('says how to go on over ssh', async () => {
  const program = user.start({
    args: ['login'],
    env: { SSH_CONNECTION: '192.0.2.1 1 192.0.2.2 22' },
    cols: 200,
  });
  await program.waitFor('ssh -L 1455:localhost:1455');
  program.write('\u0003');
  await program.exit;
});

it('saves a key that is never shown, for the service that runs already', async () => {
  const anthropic = async (): Promise<unknown> => {
    const { stdout } = await user.command(['auth', 'status', '--json']);
    return (JSON.parse(stdout) as { provider_id: string }[]).find(
      ({ provider_id: id }) => id === 'anthropic',
    );
  };
  expect(await anthropic()).toMatchObject({ readiness: 'missing' });
  const program = user.start({ args: ['key', 'set', 'anthropic'] });
  await program.waitFor('it is not shown');
  program.write(`${KEY}x\u007f\r`);
  expect((await program.exit).code).toBe(0);
  expect(program.screen.text()).toContain('Saved the key for anthropic.');
  expect(program.bytes()).not.toContain(KEY);
  expect(await anthropic()).toMatchObject({
    readiness: 'ready',
    source: 'shared_store',
    auth_method: 'api_key',
  });
  const out = await user.command(['logout', 'anthropic']);
  expect(out).toMatchObject({ code: 0, stdout: 'Signed out of anthropic.\n' });
  expect(await anthropic()).toMatchObject({ readiness: 'missing' });
  expect(keptText().includes(KEY)).toBe(false);
});

it('takes no empty key', async () => {
  const program = user.start({ args: ['key', 'set', 'anthropic'] });
  await program.waitFor('it is not shown');
  program.write('\r');
  expect((await program.exit).code).toBe(2);
  expect(program.screen.text()).toContain('nothing has changed');
});

describe('Ctrl+Z', () => {
  /** The program in a shell that can stop it and go on with it. */
  async function inShell(command: string): Promise<PtyProgram> {
    const shell = startPty({
      command: '/bin/bash',
      args: ['--norc', '--noprofile', '-i'],
      cwd: user.workspace,
      cols: 600,
      env: {
        ...issuer.env,
        PS1: 'shell> ',
        HOME: user.root,
        MAGI_TERM_HOME: user.state,
        NODE: process.execPath,
        BIN,
      },
    });
    onTestFinished(() => shell.dispose());
    await shell.waitFor('shell>');
    shell.write(`"$NODE" "$BIN" ${command}\r`);
    return shell;
  }

  const count = (shell: PtyProgram, words: string): number => shell.screen.text().split(words).length - 1;

  it.each(['key set anthropic', 'login --no-browser'])(
    'stops %s, which asks anew afterwards',
    async (command) => {
      const shell = await inShell(command);
      const question = command === 'login --no-browser' ? 'Or paste the final address' : 'Key for anthropic';
      await shell.waitFor(question);
      shell.write('what was begun\u001a');
      await shell.waitFor(/Stopped[^\n]*\n+shell>$/);
      await shell.type('echo sh""own\r');
      await shell.waitFor(/\nshown\n/);
      shell.write('fg\r');
      await shell.waitFor(() => count(shell, question) === 2);
      if (command === 'login --no-browser') {
        const [, url = ''] = /\n(http:\S+)/.exec(shell.screen.text()) ?? [];
        shell.write(`${await issuer.agree(url)}\r`);
        await shell.waitFor('You are signed in.');
      } else {
        shell.write(`${KEY}\r`);
        await shell.waitFor('Saved the key for anthropic.');
      }
      expect(shell.bytes()).not.toMatch(/what was begun|sk-made-up|code=/);
      expect(count(shell, question)).toBe(2);
      await shell.waitFor(/shell>$/);
    },
  );

  it('does not show the line where no shell could go on with it', async () => {
    const program = user.start({ args: ['key', 'set', 'anthropic'] });
    await program.waitFor('Key for anthropic');
    program.write('\u001a');
    await program.waitFor((screen) => screen.text().split('Key for anthropic').length === 3);
    program.write(`${KEY}\r`);
    expect((await program.exit).code).toBe(0);
    expect(program.bytes()).not.toContain(KEY);
    expect(program.screen.text()).toContain('Saved the key for anthropic.');
  });
});

describe('a provider that was named', () => {
  const ALL = 'anthropic, box, demo, llama.cpp, lm-studio, ollama, open-box, openai, openai-codex, vllm';
  beforeEach(() => {
    const box = { baseUrl: 'http://127.0.0.1:1/v1', api: 'openai-completions' };
    const providers = { box: { ...box, apiKeyEnv: 'BOX_KEY' }, 'open-box': box };
    writeFileSync(user.settingsFile, JSON.stringify({ providers }));
  });

  it.each([
    ['login', 'nobody', `There is no provider nobody; there are: ${ALL}.`],
    ['login', 'anthropic', 'anthropic takes a key: run magi-term key set anthropic, or set it in the env'],
    ['login', 'box', 'box takes a key: run magi-term key set box'],
    ['login', 'open-box', 'open-box needs neither a sign-in nor a key. If its server wants a key: magi-term'],
    ['login', 'demo', 'demo needs neither a sign-in nor a key: choose it with magi-term config set provider'],
    ['key', 'nobody', `There is no provider nobody; there are: ${ALL}.`],
    ['key', 'demo', 'demo needs no key: choose it with magi-term config set provider demo.'],
    ['key', 'ollama', 'ollama needs no key'],
    ['key', 'openai-codex', 'openai-codex takes no key, it is signed in to: run magi-term login.'],
    ['key', 'ChatGPT', 'openai-codex takes no key, it is signed in to: run magi-term login.'],
    ['key', '__proto__', 'There is no provider __proto__'],
  ])('is refused: %s %s', async (command, name, words) => {
    const args = command === 'key' ? ['key', 'set', name] : [command, name];
    expect(await user.command(args, {}, `${KEY}\n`)).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining(words),
    });
    expect(existsSync(join(user.state, 'auth'))).toBe(false);
    expect(await user.command(['daemon', 'status'])).toMatchObject({ code: 1 });
  });

  it.each(['anthropic', 'openai', 'box', 'open-box'])('keeps a key, without a service: %s', async (name) => {
    expect(await user.command(['key', 'set', name], {}, `${KEY}\n`)).toMatchObject({
      code: 0,
      stdout: `Saved the key for ${name}.\n`,
    });
    expect(await user.command(['daemon', 'status'])).toMatchObject({ code: 1 });
    const { stdout } = await user.command(['auth', 'status']);
    expect(stdout).toMatch(new RegExp(`^${name} +ready, saved key$`, 'm'));
  });

  it('may be called ChatGPT', async () => {
    const program = user.start({ args: ['login', 'ChatGPT', '--no-browser'], cols: 600 });
    await program.waitFor('paste the final address');
    const [, url = ''] = /\n(http:\S+)/.exec(program.screen.text()) ?? [];
    program.write(`${await issuer.agree(url)}\r`);
    expect((await program.exit).code).toBe(0);
    expect(await user.command(['logout', 'chatgpt'])).toMatchObject({
      code: 0,
      stdout: 'Signed out of openai-codex.\n',
    });
  });

  it('is looked up in settings that can be read', async () => {
    writeFileSync(user.settingsFile, '{');
    expect(await user.command(['key', 'set', 'box'], {}, `${KEY}\n`)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('settings.json:1:2: not valid JSON'),
    });
  });
});

it('lists models', async () => {
  const { code, stdout } = await user.command(['models']);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^demo\/demo-1/m);
});

it('saving a key says when one of the environment counts before it', async () => {
  const set = (env: Readonly<Record<string, string>>) =>
    user.command(['key', 'set', 'anthropic'], env, 'made-up-key-of-the-store\n');
  expect((await set({})).stderr).toBe('');
  expect(await set({ ANTHROPIC_API_KEY: 'made-up-key-of-the-environment' })).toMatchObject({
    code: 0,
    stdout: 'Replaced the key for anthropic.\n',
    stderr: 'A key is set in this environment, too: a service that is started here takes that one first.\n',
  });
});

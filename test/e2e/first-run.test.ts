import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { AppHome } from '../support/app.ts';
import { startModelServer } from '../support/model-server.ts';

const homes: AppHome[] = [];

function home(...args: ConstructorParameters<typeof AppHome>): AppHome {
  const made = new AppHome(...args);
  homes.push(made);
  return made;
}

afterEach(async () => {
  for (const one of homes.splice(0)) await one.dispose();
});

describe('the first start, without credentials', () => {
  it('asks who should answer, explains what is missing, and lets the demo answer at once', async () => {
    const user = home();
    const program = user.start({ cols: 80, rows: 24 });
    await program.waitFor('Who should answer?');
    expect(program.screen.text()).toMatch(/› Sign in with ChatGPT +\S.*in your browser/);
    program.press('down');
    await program.waitFor(/› Anthropic +it has no key yet: how to/);
    program.press('enter');
    await program.waitFor(/Alt\+L, then s, saves a key\. Or set\s+ANTHROPIC_API_KEY/);
    program.press('down');
    program.press('down');
    await program.waitFor('› Demo');
    program.press('enter');
    await program.waitFor('ready');
    await program.type('hello');
    program.press('enter');
    await program.waitFor('Demo model');
    await program.waitFor('ready', { timeoutMs: 20_000 });
    expect(JSON.parse(readFileSync(user.settingsFile, 'utf8'))).toMatchObject({
      provider: 'demo',
      model: 'demo-1',
    });
  });

  it('asks nothing when the environment names a server, and shows the model that answers', async () => {
    const server = await startModelServer({ models: ['coder-9'], script: () => [{ text: 'Served.' }] });
    const user = home({ env: { OPENAI_BASE_URL: `${server.url}/v1` } });
    const program = user.start();
    await program.waitFor('openai/coder-9');
    await program.waitFor('ready');
    await program.type('hello');
    program.press('enter');
    await program.waitFor('Served.');
    expect(server.requests.at(-1)?.body.model).toBe('coder-9');
    await user.dispose();
    await server.close();
  });

  it('keeps everything private', async () => {
    const user = home({ settings: { provider: 'demo', model: 'demo-1' } });
    const program = user.start();
    await program.waitFor('ready');
    await program.type('hello');
    program.press('enter');
    await program.waitFor('Demo model');
    for (const folder of ['sessions', 'logs', 'drafts'])
      expect(statSync(join(user.state, folder)).mode & 0o077).toBe(0);
  });
});

describe('the demo in a folder', () => {
  it('really changes files, and runs a command only when it may', async () => {
    const user = home({ settings: { provider: 'demo', model: 'demo-1' } });
    const program = user.start();
    await program.waitFor('ready');
    await program.type('write NOTE.md: remember the milk');
    program.press('enter');
    await program.waitFor(/▾ write/);
    await program.waitFor('ready', { timeoutMs: 20_000 });
    expect(readFileSync(join(user.workspace, 'NOTE.md'), 'utf8')).toContain('remember the milk');
    await program.type('run touch made-by-bash');
    program.press('enter');
    await program.waitFor('bash asks for permission');
    program.press('f8');
    await program.waitFor(/⊘ bash .*not allowed/);
    await program.waitFor('ready', { timeoutMs: 20_000 });
    expect(existsSync(join(user.workspace, 'made-by-bash'))).toBe(false);
    expect(await user.command(['config', 'set', 'allow.bash', 'true'])).toMatchObject({ code: 0 });
    await program.type('run touch made-by-bash');
    program.press('enter');
    await program.waitFor(/▸ bash/);
    await program.waitFor('ready', { timeoutMs: 20_000 });
    expect(program.screen.text()).not.toContain('asks for permission');
    expect(existsSync(join(user.workspace, 'made-by-bash'))).toBe(true);
  });
});

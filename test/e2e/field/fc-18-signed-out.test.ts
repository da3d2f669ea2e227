/** Signed out means signed out, in every window. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AppHome } from '../../support/app.ts';
import { type CodexServer, startCodexServer } from '../../support/codex-server.ts';
import { FIELD_TIMEOUT, PATIENCE } from '../../support/field-stage.ts';
import { OAuthIssuer } from '../../support/oauth-issuer.ts';
import type { PtyProgram } from '../../support/pty.ts';
import { chosenProvider, linkOtherThan } from '../../support/signing.ts';

let issuer: OAuthIssuer;
let codex: CodexServer;
let user: AppHome;
let isRefusing = false;
const links: string[] = [];
const programs: PtyProgram[] = [];

beforeEach(async () => {
  isRefusing = false;
  issuer = await OAuthIssuer.start();
  codex = await startCodexServer(() => (isRefusing ? 401 : [{ text: 'Hello from afar.' }]));
  const env = { ...issuer.env, MAGI_TERM_CODEX_BASE_URL: codex.url };
  user = new AppHome({ settings: { provider: 'openai-codex', model: 'gpt-6-sol' }, env });
});
afterEach(async () => {
  programs.length = 0;
  links.length = 0;
  await user.dispose();
  await codex.close();
  await issuer.close();
});

function started(): PtyProgram {
  const program = user.start();
  programs.push(program);
  return program;
}

async function signIn(program: PtyProgram): Promise<void> {
  await program.waitFor(/ready|Who should answer/, PATIENCE);
  await chosenProvider(program, /not signed in/);
  program.press('enter');
  const link = await linkOtherThan(program, links.at(-1) ?? '');
  links.push(link);
  await fetch(await issuer.agree(link));
  await program.waitFor('You are signed in.', PATIENCE);
  program.press('enter');
  await program.waitFor(/openai-codex\s+signed in/, PATIENCE);
}

async function signOut(program: PtyProgram): Promise<void> {
  await program.type('x');
  await program.waitFor('Sign out of openai-codex?', PATIENCE);
  await program.type('y');
  await program.waitFor(/openai-codex\s+not signed in/, PATIENCE);
}

/** Back in the chat, with an empty draft. */
async function back(program: PtyProgram): Promise<void> {
  program.press('escape');
  await program.waitFor('› Write a message', PATIENCE);
}

async function say(program: PtyProgram, text: string): Promise<void> {
  await program.type(text);
  program.press('enter');
}

function keptText(folder: string): string {
  return readdirSync(folder)
    .filter((name) => name !== 'auth.json')
    .map((name) => join(folder, name))
    .map((path) =>
      statSync(path).isDirectory()
        ? keptText(path)
        : statSync(path).isFile()
          ? readFileSync(path, 'utf8')
          : '',
    )
    .join('\n');
}

/** Everything that was written anywhere, but the store of credentials and the links that were shown on purpose. */
function expectNoSecrets(): void {
  const shown = links.join();
  const unseen = issuer.secrets.filter((secret) => !shown.includes(secret));
  expect(unseen.length).toBeGreaterThan(2);
  const texts = [keptText(user.state), ...programs.map((program) => program.bytes())];
  for (const secret of unseen) for (const text of texts) expect(text.includes(secret)).toBe(false);
}

describe('FC-18 signed out means signed out', FIELD_TIMEOUT, () => {
  it('both windows show it, a message comes back with the reason, and both work again after the next sign-in', async () => {
    const [a, b] = [started(), started()];
    await signIn(a);
    await b.waitFor(/ready|Who should answer/, PATIENCE);
    await chosenProvider(b, /signed in/);
    await signOut(a);
    await b.waitFor(/openai-codex\s+not signed in/, PATIENCE);
    await back(b);
    a.press('escape');
    await a.waitFor(/Who should answer|› Write a message/, PATIENCE);
    await say(b, 'are you there');
    await b.waitFor(/› are you there/, PATIENCE);
    await b.waitFor(/sign in|signed in/i, PATIENCE);
    expect(codex.requests.length).toBe(0);

    await signIn(a);
    await back(a);
    await chosenProvider(b, /signed in/);
    b.press('escape');
    await b.waitFor('› are you there', PATIENCE);
    b.press('enter');
    await b.waitFor('Hello from afar.', PATIENCE);
    await say(a, 'and here');
    await a.waitFor('Hello from afar.', PATIENCE);
    expectNoSecrets();
  });

  it('a token that the vendor refuses is told, and the sign-in has run out', async () => {
    const program = started();
    await signIn(program);
    await back(program);
    isRefusing = true;
    await say(program, 'hello');
    await program.waitFor(/failed: .*sign in/i, PATIENCE);
    await chosenProvider(program, /the sign-in has run out/);
    expectNoSecrets();
  });

  it('without a network the local part is done, and the rest is said to be not', async () => {
    const program = started();
    await signIn(program);
    await issuer.close();
    await signOut(program);
    program.press('escape');
    await program.waitFor(/Signed out of openai-codex\.[\s\S]*nothing is revoked at the vendor/, PATIENCE);
    expect(await user.command(['auth', 'status', '--json'])).toMatchObject({
      stdout: expect.stringContaining(
        '"provider_id":"openai-codex","auth_method":"oauth","source":"shared_store","readiness":"missing"',
      ),
    });
  });
});

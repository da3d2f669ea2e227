/** Signing in with a real browser, as a person does: the link of the screen, the issuer's page, the way back. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { resolve } from 'node:path';
import type { Page } from 'playwright-core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { keepOutput, registerLink } from '../secrets/ledger.ts';
import { AppHome } from '../support/app.ts';
import { OAuthIssuer } from '../support/oauth-issuer.ts';
import type { PtyProgram } from '../support/pty.ts';
import { shownLink, signingIn } from '../support/signing.ts';
import { Chromium, type ChromiumOptions, type Visit } from './chromium.ts';

const BIN = resolve(import.meta.dirname, '../../bin/magi-term.js');
const PATIENCE = { timeoutMs: 30_000 };
const SIGNED_IN = 'You are signed in.';
const ARRIVED = 'The sign-in has arrived. Go back to the terminal; this page can be closed.';
const settings = { provider: 'demo', model: 'demo-1' };
/** Where a machine has no such address, a browser cannot try it. */
const hasSecondLoopback = Object.values(networkInterfaces()).some((addresses) =>
  addresses?.some(({ address }) => address === '::1'),
);

const closers: (() => Promise<unknown>)[] = [];
let issuer: OAuthIssuer;
let user: AppHome;
beforeEach(async () => {
  issuer = await OAuthIssuer.start();
  closers.push(() => issuer.close());
  user = homeWith(issuer.env);
});
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

function homeWith(env: Readonly<Record<string, string>>): AppHome {
  const home = new AppHome({ settings, env });
  closers.push(() => home.dispose());
  return home;
}

async function browser(options: ChromiumOptions = {}): Promise<Visit> {
  const opened = await Chromium.open(options);
  closers.push(() => opened.close());
  return opened.visit();
}

/** Presses a button of the issuer's page. What the service answers to the browser that comes back. */
async function press(page: Page, button: 'Agree' | 'Refuse'): Promise<{ status: number; text: string }> {
  const back = page.waitForResponse((response) => response.url().includes('/auth/callback?'));
  await page.getByRole('button', { name: button }).click();
  const response = await back;
  await page.waitForLoadState();
  return { status: response.status(), text: await textOf(page) };
}

/** What a person sees of it. */
function textOf(page: Page): Promise<string> {
  // biome-ignore lint/performance/useDomNodeTextContent: what is hidden is not read
  return page.locator('body').innerText();
}

/** The address of the way back, without its query. */
function callbackOf(link: string): string {
  return new URL(link).searchParams.get('redirect_uri') ?? '';
}

async function expectSignedIn(program: PtyProgram): Promise<void> {
  await program.waitFor(SIGNED_IN, PATIENCE);
  program.press('escape');
  await program.waitFor('› half a thought', PATIENCE);
  expect(await isReady()).toBe(true);
}

async function isReady(home = user): Promise<boolean> {
  const { stdout } = await home.command(['auth', 'status', '--json']);
  const providers = JSON.parse(stdout) as { provider_id: string; ready: boolean }[];
  return providers.some(({ provider_id: id, ready }) => id === 'openai-codex' && ready);
}

describe('a browser with the link of the screen', () => {
  it('comes back when the person agrees, and shows a page that holds nothing', async () => {
    const program = await signingIn(user);
    const link = shownLink(program);
    const { page, requests } = await browser();
    await page.goto(link);
    expect(await textOf(page)).toContain('May magi-term sign in as you?');
    expect(await press(page, 'Agree')).toEqual({ status: 200, text: ARRIVED });
    expect(await page.title()).toBe('magi-term');
    await expectSignedIn(program);
    const content = await page.content();
    expect(issuer.secrets.length).toBeGreaterThan(4);
    for (const secret of issuer.secrets) expect(content.includes(secret)).toBe(false);
    const authorize = `${issuer.url}/oauth/authorize`;
    expect(requests).toEqual([`GET ${authorize}`, `POST ${authorize}`, `GET ${callbackOf(link)}`]);
    expect(await page.evaluate('document.querySelectorAll("script,link,img,style,iframe").length')).toBe(0);
  });

  it('ends the sign-in when the person refuses, and says so on both sides', async () => {
    const program = await signingIn(user);
    const { page } = await browser();
    await page.goto(shownLink(program));
    const { status, text } = await press(page, 'Refuse');
    expect([status, text]).toEqual([400, expect.stringContaining('was refused')]);
    await program.waitFor('the sign-in page refused it', PATIENCE);
    program.press('escape');
    await program.waitFor('› half a thought', PATIENCE);
    expect([await isReady(), issuer.tokenRequests]).toEqual([false, []]);
  });

  it('with another state is sent away, and the right one still works', async () => {
    const program = await signingIn(user);
    const link = shownLink(program);
    const { page } = await browser();
    const foreign = await page.goto(await issuer.agree(link, { state: 'of-somebody-else' }));
    expect([foreign?.status(), await textOf(page)]).toEqual([
      400,
      'This page belongs to no sign-in that is waiting. Start it again in the terminal.',
    ]);
    expect(await page.content()).not.toContain('somebody-else');
    expect(program.screen.text()).toContain('waiting for your browser');
    await page.goto(link);
    expect(await press(page, 'Agree')).toEqual({ status: 200, text: ARRIVED });
    await expectSignedIn(program);
  });

  it('is not disturbed by what browsers ask for by themselves', async () => {
    const program = await signingIn(user);
    const link = shownLink(program);
    const { page } = await browser();
    const icon = await page.goto(new URL('/favicon.ico', callbackOf(link)).href);
    expect([icon?.status(), await textOf(page)]).toEqual([404, 'There is nothing here.']);
    expect(program.screen.text()).toContain('waiting for your browser');
    await page.goto(link);
    expect((await press(page, 'Agree')).status).toBe(200);
    await expectSignedIn(program);
  });

  it('that loads its page again while the code is exchanged learns that it had arrived', async () => {
    issuer.token = 'held';
    const program = await signingIn(user);
    const { page } = await browser();
    await page.goto(shownLink(program));
    await press(page, 'Agree');
    await issuer.asked(1);
    expect((await page.reload())?.status()).toBe(400);
    expect(await textOf(page)).toContain('The sign-in had arrived before.');
    issuer.release();
    await expectSignedIn(program);
    expect(issuer.tokenRequests.length).toBe(1);
  });

  it('finds nobody there when the link is opened again after the success', async () => {
    const program = await signingIn(user);
    const link = shownLink(program);
    const { page } = await browser();
    await page.goto(link);
    await press(page, 'Agree');
    await program.waitFor(SIGNED_IN, PATIENCE);
    await page.goto(link);
    const gone = page.waitForEvent('requestfailed', (request) => request.url().includes('/auth/callback?'));
    await page.getByRole('button', { name: 'Agree' }).click();
    expect((await gone).failure()?.errorText).toBe('net::ERR_CONNECTION_REFUSED');
    await expectSignedIn(program);
    expect(issuer.tokenRequests.length).toBe(1);
  });

  it('comes back when it takes localhost for ::1', async () => {
    const program = await signingIn(user);
    const { page } = await browser(hasSecondLoopback ? { localhost: '[::1]' } : {});
    await page.goto(shownLink(program));
    expect(await press(page, 'Agree')).toEqual({ status: 200, text: ARRIVED });
    await expectSignedIn(program);
  });

  it('comes back when it takes localhost for 127.0.0.1', async () => {
    const program = await signingIn(user);
    const { page } = await browser({ localhost: '127.0.0.1' });
    await page.goto(shownLink(program));
    expect(await press(page, 'Agree')).toEqual({ status: 200, text: ARRIVED });
    await expectSignedIn(program);
  });

  it('that ends at another program, which has the port, gives the address to paste', async () => {
    const squatter = createServer((_, response) => response.end('somebody else'));
    squatter.listen(0, hasSecondLoopback ? '::1' : '127.0.0.1');
    await once(squatter, 'listening');
    closers.push(async () => {
      squatter.closeAllConnections();
      await new Promise((done) => squatter.close(done));
    });
    const { port } = squatter.address() as AddressInfo;
    user = homeWith({ ...issuer.env, MAGI_TERM_OAUTH_CALLBACK_PORT: String(port) });
    const program = await signingIn(user);
    await program.waitFor(`Port ${port} of this machine is taken`, PATIENCE);
    const { page } = await browser();
    await page.goto(shownLink(program));
    expect((await press(page, 'Agree')).text).toBe('somebody else');
    program.paste(page.url());
    await program.waitFor('••••', PATIENCE);
    program.press('enter');
    await expectSignedIn(program);
  });
});

describe('a browser with the link of the command', () => {
  it('ends login --print-url with 0', async () => {
    const { ended, link } = await printed('--print-url');
    const { page } = await browser();
    await page.goto(link);
    expect(await press(page, 'Agree')).toEqual({ status: 200, text: ARRIVED });
    expect([await ended, await isReady()]).toEqual([0, true]);
  });

  it('ends login --no-browser with 1 when the person refuses', async () => {
    const { ended, link } = await printed('--no-browser');
    const { page } = await browser();
    await page.goto(link);
    await press(page, 'Refuse');
    expect([await ended, await isReady()]).toEqual([1, false]);
  });
});

/** The command without a terminal: its link, and its exit code. */
async function printed(flag: string): Promise<{ link: string; ended: Promise<number | null> }> {
  const child: ChildProcess = spawn(process.execPath, [BIN, 'login', flag], {
    cwd: user.workspace,
    env: { ...process.env, ...issuer.env, HOME: user.root, MAGI_TERM_HOME: user.state },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const ended = once(child, 'close').then(([code]) => code as number | null);
  closers.push(async () => {
    child.kill('SIGKILL');
    await ended;
    keepOutput('command', out + told);
  });
  let out = '';
  let told = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    told += text;
  });
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  while (!/^http\S+\n/m.test(out) && child.stdout !== null) await once(child.stdout, 'data');
  const link = /^http\S+/m.exec(out)?.[0] ?? '';
  registerLink(link);
  return { link, ended };
}

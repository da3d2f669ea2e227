/** The sign-in screen, with a made-up issuer on this machine. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { registerSecret } from '../secrets/ledger.ts';
import { AppHome, type StartOptions } from '../support/app.ts';
import { OAuthIssuer } from '../support/oauth-issuer.ts';
import type { PtyProgram } from '../support/pty.ts';
import { linkOtherThan, shownLink, signingIn } from '../support/signing.ts';

let issuer: OAuthIssuer;
let user: AppHome;
beforeEach(async () => {
  issuer = await OAuthIssuer.start();
  user = new AppHome({ settings: { provider: 'demo', model: 'demo-1' }, env: issuer.env });
});
afterEach(async () => {
  await user.dispose();
  await issuer.close();
});

const begun = (options?: StartOptions): Promise<PtyProgram> => signingIn(user, options);

describe('the sign-in screen', () => {
  it('shows the link alone on its rows, counts down, and ends signed in with the draft as it was', async () => {
    const program = await begun({ cols: 40, rows: 24 });
    const url = shownLink(program);
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/oauth\/authorize\?/);
    expect(program.screen.text()).toMatch(/[45]:\d\d left/);
    await fetch(await issuer.agree(url));
    await program.waitFor('You are signed in.');
    program.press('escape');
    await program.waitFor('› half a thought');
    expect(program.screen.text()).toContain('You are signed in.');
    program.write('\u001bl');
    await program.waitFor(/openai-codex\s+signed in/);
  });

  it('takes a pasted answer once, unseen, and says what is wrong with another one', async () => {
    const program = await begun();
    const url = shownLink(program);
    program.paste('http://localhost:1455/auth/callback?code=x&state=of-somebody-else');
    await program.waitFor('••••');
    program.press('enter');
    await program.waitFor('does not belong to this sign-in');
    expect(program.bytes()).not.toContain('somebody-else');
    program.press('enter');
    const second = await linkOtherThan(program, url);
    program.paste(await issuer.agree(second));
    await program.waitFor('••••');
    program.press('enter');
    await program.waitFor('You are signed in.');
    const shown = [url, second].join();
    const unseen = issuer.secrets.filter((secret) => !shown.includes(secret));
    expect(unseen.length).toBeGreaterThan(2);
    for (const secret of unseen) expect(program.bytes().includes(secret)).toBe(false);
  });

  it('Esc cancels and waits for the end; a second one starts at once', async () => {
    const program = await begun();
    const url = shownLink(program);
    program.press('escape');
    await program.waitFor('The sign-in was cancelled.');
    program.press('enter');
    await linkOtherThan(program, url);
  });

  it('asks once before it signs out, and says what that does not do', async () => {
    const program = await begun();
    await fetch(await issuer.agree(shownLink(program)));
    await program.waitFor('You are signed in.');
    program.press('enter');
    await program.waitFor(/› openai-codex\s+signed in/);
    await program.type('x');
    await program.waitFor(/Sign out of openai-codex\?[\s\S]*nothing is revoked/);
    await program.type('n');
    await program.waitFor((screen) => !screen.text().includes('Sign out of openai-codex?'));
    await program.type('x');
    await program.waitFor('Sign out of openai-codex?');
    await program.type('y');
    await program.waitFor(/› openai-codex\s+not signed in/);
  });

  it('copies the link through the terminal, and says only what is certain', async () => {
    const program = await begun({ env: { SSH_CONNECTION: '192.0.2.1 1 192.0.2.2 22' } });
    expect(program.screen.text()).toContain('ssh -L 1455:localhost:1455');
    await program.type('c');
    await program.waitFor('Sent to the terminal');
    expect(program.screen.clipboard()).toBe(shownLink(program));
    await program.type('o');
    await program.waitFor('would not be on your screen');
  });

  it('shows a code for a phone where it fits, and says what it needs where it does not', async () => {
    const small = await begun({ cols: 60, rows: 20 });
    await small.type('q');
    await small.waitFor(/needs a window of \d+ × \d+/);
    small.press('escape');
    await small.waitFor('The sign-in was cancelled.');
    const large = await begun({ cols: 140, rows: 70 });
    await large.type('q');
    await large.waitFor(/█▀▀▀▀▀█|█ ▄▄▄▄▄ █/);
    await large.type('q');
    await large.waitFor('Open this link:');
  });

  it('prints the link plainly on the normal screen, and comes back', async () => {
    const program = await begun({ cols: 60 });
    const url = shownLink(program);
    const mark = program.mark();
    await program.type('p');
    await program.waitFor((screen) => !screen.isAlternate() && screen.text().includes('Enter goes back.'));
    expect(program.bytesSince(mark)).toContain(`${url}\r\n`);
    program.write('\r');
    await program.waitFor((screen) => screen.isAlternate() && shownLink(program) === url);
  });

  it('saves a key for a provider in the terminal and comes back', async () => {
    registerSecret('key', 'sk-made-up-key-0002');
    const program = user.start();
    await program.waitFor('ready');
    program.write('\u001bl');
    await program.waitFor(/› anthropic\s+no key/);
    await program.type('s');
    await program.waitFor((screen) => !screen.isAlternate() && screen.text().includes('it is not shown'));
    program.write('sk-made-up-key-0002\r');
    await program.waitFor(/› anthropic\s+ready, saved key/);
    expect(program.bytes()).not.toContain('sk-made-up-key-0002');
  });
});

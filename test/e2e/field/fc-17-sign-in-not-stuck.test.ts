/** A sign-in never gets stuck. The states themselves are tested in test/store/sign-in.test.ts. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AppHome } from '../../support/app.ts';
import { FIELD_TIMEOUT, PATIENCE } from '../../support/field-stage.ts';
import { OAuthIssuer } from '../../support/oauth-issuer.ts';
import { chosenProvider, linkOtherThan, shownLink, signingIn } from '../../support/signing.ts';

let issuer: OAuthIssuer;
let user: AppHome;
const settings = { provider: 'demo', model: 'demo-1' };
beforeEach(async () => {
  issuer = await OAuthIssuer.start();
  user = new AppHome({ settings, env: issuer.env });
});
afterEach(async () => {
  await user.dispose();
  await issuer.close();
});

describe('FC-17 a sign-in never gets stuck', FIELD_TIMEOUT, () => {
  it('without a program that opens links the link is still there, and the way by hand', async () => {
    const program = await signingIn(user, { env: { DISPLAY: ':99', PATH: '/nowhere' } });
    const link = shownLink(program);
    await program.type('o');
    await program.waitFor(/No browser could be opened|The system was asked/, PATIENCE);
    expect(shownLink(program)).toBe(link);
    program.paste(await issuer.agree(link));
    await program.waitFor('••••', PATIENCE);
    program.press('enter');
    await program.waitFor('You are signed in.', PATIENCE);
  });

  it('a callback port that is taken is told with its number; the other way stays open', async () => {
    const squatter = createServer().listen(0, '127.0.0.1');
    await once(squatter, 'listening');
    const { port } = squatter.address() as AddressInfo;
    const other = new AppHome({
      settings,
      env: { ...issuer.env, MAGI_TERM_OAUTH_CALLBACK_PORT: String(port) },
    });
    try {
      const program = await signingIn(other);
      await program.waitFor(`Port ${port} of this machine is taken`, PATIENCE);
      program.paste(await issuer.agree(shownLink(program)));
      await program.waitFor('••••', PATIENCE);
      program.press('enter');
      await program.waitFor('You are signed in.', PATIENCE);
    } finally {
      await other.dispose();
      squatter.close();
    }
  });

  it('a browser with another state changes nothing', async () => {
    const program = await signingIn(user);
    const link = shownLink(program);
    const foreign = await issuer.agree(link, { state: 'of-somebody-else' });
    expect((await fetch(foreign)).status).toBe(400);
    expect(program.screen.text()).toContain('waiting for your browser');
    expect(user.serviceLog()).toContain('a browser came back for another sign-in');
    expect((await fetch(await issuer.agree(link))).status).toBe(200);
    await program.waitFor('You are signed in.', PATIENCE);
  });

  it('Esc is back at once, and a second attempt starts at once', async () => {
    const program = await signingIn(user);
    const link = shownLink(program);
    program.press('escape');
    await program.waitFor('The sign-in was cancelled.', PATIENCE);
    program.press('enter');
    expect(await linkOtherThan(program, link)).not.toBe(link);
  });

  it('an issuer that says nothing ends it with a reason, and keys work meanwhile', async () => {
    issuer.token = 'silent';
    const program = await signingIn(user);
    await fetch(await issuer.agree(shownLink(program)));
    await program.waitFor('exchanging the code', PATIENCE);
    program.press('f1');
    await program.waitFor('Show the keys', PATIENCE);
    program.press('escape');
    await program.waitFor(/could not be exchanged[\s\S]*start again/, { timeoutMs: 45_000 });
  });

  it('a success is told on another screen, too, and the draft is kept', async () => {
    const program = await signingIn(user);
    const link = shownLink(program);
    program.press('f2');
    await program.waitFor('Sessions', PATIENCE);
    await fetch(await issuer.agree(link));
    await program.waitFor('You are signed in.', PATIENCE);
    program.press('f2');
    await program.waitFor('› half a thought', PATIENCE);
    expect(program.screen.text()).toContain('You are signed in.');
  });

  it('whoever is killed in the middle of it finds nothing busy', async () => {
    const program = await signingIn(user);
    const link = shownLink(program);
    program.kill('SIGKILL');
    await program.exit;
    const next = user.start();
    await next.waitFor('ready', PATIENCE);
    await chosenProvider(next, /not signed in/);
    next.press('enter');
    expect(await linkOtherThan(next, link)).not.toBe(link);
  });
});

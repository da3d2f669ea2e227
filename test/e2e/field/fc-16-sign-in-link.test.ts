/** The link of a sign-in leaves the screen whole, and copying says only what is certain. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AppHome } from '../../support/app.ts';
import { FIELD_TIMEOUT, PATIENCE } from '../../support/field-stage.ts';
import { OAuthIssuer } from '../../support/oauth-issuer.ts';
import { linkRows, shownLink, signingIn } from '../../support/signing.ts';

const LETTERS = 520;
const OVER_SSH = {
  SSH_CONNECTION: '192.0.2.1 1 192.0.2.2 22',
  DISPLAY: undefined,
  WAYLAND_DISPLAY: undefined,
};

let issuer: OAuthIssuer;
let user: AppHome;
beforeEach(async () => {
  issuer = await OAuthIssuer.start(`/${'made-up-'.repeat(13)}`);
  user = new AppHome({ settings: { provider: 'demo', model: 'demo-1' }, env: issuer.env });
});
afterEach(async () => {
  await user.dispose();
  await issuer.close();
});

describe('FC-16 the sign-in link leaves the screen whole', FIELD_TIMEOUT, () => {
  it('its rows hold nothing but the link, and joined they equal it', async () => {
    const program = await signingIn(user, { cols: 40, rows: 24, env: OVER_SSH });
    const rows = linkRows(program.screen.rows());
    expect(rows.join('').length).toBeGreaterThanOrEqual(LETTERS);
    for (const row of rows.slice(0, -1)) expect(row).toMatch(/^\S{40}$/);
    expect(rows.at(-1)).toMatch(/^\S{1,40}$/);
    // Whoever follows one row follows all of it.
    expect(program.bytes()).toContain(`\u001b]8;;${shownLink(program)}\u001b\\`);
    expect((await fetch(shownLink(program), { redirect: 'manual' })).status).toBe(302);
  });

  it.each(['plain', 'tmux'])(
    'the copy sequence carries exactly the link (%s), and says that it was sent',
    async (where) => {
      const tmux = where === 'tmux' ? { TMUX: '/tmp/made-up,1,0', TERM: 'tmux-256color' } : {};
      const program = await signingIn(user, { cols: 40, rows: 24, env: { ...OVER_SSH, ...tmux } });
      const link = shownLink(program);
      const mark = program.mark();
      await program.type('c');
      await program.waitFor('Sent to the terminal', PATIENCE);
      expect(program.screen.text()).not.toContain('Copied');
      const sequence = `\u001b]52;c;${Buffer.from(link).toString('base64')}\u0007`;
      const wrapped = `\u001bPtmux;${sequence.replaceAll('\u001b', '\u001b\u001b')}\u001b\\`;
      expect(program.bytesSince(mark)).toContain(where === 'tmux' ? wrapped : sequence);
    },
  );

  it('printed plainly it is one unbroken line on the normal screen', async () => {
    const program = await signingIn(user, { cols: 40, rows: 24, env: OVER_SSH });
    const link = shownLink(program);
    const mark = program.mark();
    await program.type('p');
    await program.waitFor(
      (screen) => !screen.isAlternate() && screen.text().includes('Enter goes back.'),
      PATIENCE,
    );
    expect(program.bytesSince(mark)).toContain(`\n${link}\r\n`);
    program.write('\r');
    await program.waitFor((screen) => screen.isAlternate() && shownLink(program) === link, PATIENCE);
  });
});

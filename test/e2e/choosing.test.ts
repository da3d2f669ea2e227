/** What a session works with is chosen in place, shown, kept, and left alone by others. */
import { readFileSync } from 'node:fs';
import { afterEach, expect, it } from 'vitest';
import { AppHome, answeredBy } from '../support/app.ts';
import { startModelServer } from '../support/model-server.ts';

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

it('a session keeps its model and its mode, whoever opens it, and the settings stay', async () => {
  const server = await startModelServer({
    models: ['test-1', 'test-two'],
    script: () => [{ text: 'Done.' }],
  });
  open.push(() => server.close());
  const user = new AppHome({ settings: answeredBy(server.url) });
  open.push(() => user.dispose());
  const first = user.start({ cols: 110 });
  await first.waitFor(/loopback\/test-1 · asks before commands/);

  // Chosen before there is a session: it holds for the first message.
  first.press('alt+m');
  await first.waitFor(/● test-1 /);
  await first.type('two');
  await first.waitFor(/› +test-two/);
  first.press('enter');
  await first.waitFor(/loopback\/test-two · asks before commands/);
  first.press('shift+tab');
  await first.waitFor(/loopback\/test-two · edits without asking/);
  await first.type('Hello');
  first.press('enter');
  await first.waitFor('Done.');
  expect(server.requests.map(modelOf)).toEqual(['test-two']);

  // Another window sees what this session works with, and is told why it cannot change it.
  const second = user.start({ cols: 110, args: ['--session', 'last'] });
  await second.waitFor(/loopback\/test-two · edits without asking · read only/);
  second.press('alt+a');
  await second.waitFor(/● edits without asking/);
  await second.type('nothing');
  await second.waitFor('Permission: nothing');
  second.press('enter');
  await second.waitFor('what it works with is chosen there');
  expect(second.screen.text()).toContain('edits without asking');

  // Once it is free the next message takes it, with its own model.
  first.press('ctrl+d');
  first.press('ctrl+d');
  await first.exit;
  await second.waitFor('The session is free');
  await second.type('Again');
  second.press('enter');
  await second.waitFor((screen) => screen.text().split('Done.').length === 3);
  expect(server.requests.map(modelOf)).toEqual(['test-two', 'test-two']);
  expect(JSON.parse(readFileSync(user.settingsFile, 'utf8'))).toMatchObject({ model: 'test-1' });
});

it('the list says why something cannot be chosen, and nothing typed is lost', async () => {
  const user = new AppHome({ settings: { provider: 'demo', model: 'demo-1' } });
  open.push(() => user.dispose());
  const program = user.start();
  await program.waitFor('ready');
  await program.type('half a thought');
  program.press('alt+m');
  await program.waitFor(/Anthropic +its key is missing: Enter opens “Sign in”/);
  await program.type('anthr');
  await program.waitFor(/› +Anthropic/);
  program.press('enter');
  await program.waitFor(/› anthropic\s+no key/);
  program.press('escape');
  await program.waitFor('› half a thought');
  program.press('f3');
  await program.waitFor(/Permission +asks before commands/);
  await program.type('perm');
  program.press('enter');
  await program.waitFor(/● asks before commands/);
  program.press('ctrl+c');
  await program.waitFor((screen) => !screen.text().includes('plans only'));
  expect(program.screen.text()).toContain('› half a thought');
});

function modelOf({ body }: { readonly body: unknown }): unknown {
  return (body as { readonly model?: unknown }).model;
}

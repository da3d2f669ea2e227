/** The settings screen as a person uses it. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { AppHome, answeredBy } from '../support/app.ts';
import { startModelServer } from '../support/model-server.ts';

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

const PATIENCE = { timeoutMs: 20_000 };

function homeOf(settings: unknown): AppHome {
  const user = new AppHome({ settings });
  open.push(() => user.dispose());
  return user;
}

it('a model is saved for this folder, its turn runs with it, and the draft is safe', async () => {
  const server = await startModelServer({
    models: ['test-1', 'test-two'],
    script: () => [{ text: 'Done.' }],
  });
  open.push(() => server.close());
  const user = homeOf(answeredBy(server.url));
  const program = user.start({ cols: 110 });
  await program.waitFor(/loopback\/test-1/, PATIENCE);
  await program.type('half a thought');
  program.press('f12');
  await program.waitFor(/Next turn +loopback\/test-1 · default\s+Decided by what is saved for every folder/);
  await program.waitFor(/2 models, fresh/);

  program.write('p');
  await program.waitFor(/Model +test-1 +as for every folder/);
  program.press('down');
  program.press('enter');
  await program.waitFor(/● test-1/);
  await program.type('two');
  await program.waitFor(/› +test-two/);
  program.press('enter');
  await program.waitFor('Saved for this folder.');
  await program.waitFor(/Next turn +loopback\/test-two · default\s+Decided by what is saved for this folder/);

  program.press('escape');
  await program.waitFor(/loopback\/test-two.*\n[\s\S]*› half a thought/);
  program.press('enter');
  await program.waitFor('Done.');
  expect(server.requests.map(({ body }) => (body as { model: string }).model)).toEqual(['test-two']);
  const kept = JSON.parse(readFileSync(user.settingsFile, 'utf8'));
  expect(kept.model).toBe('test-1');
  expect(kept.workspaces[user.workspace]).toMatchObject({ provider: 'loopback', model: 'test-two' });
});

it('whatever the environment of the service says wins, and the screen says so', async () => {
  const server = await startModelServer({
    models: ['test-1', 'test-two'],
    script: () => [{ text: 'Done.' }],
  });
  open.push(() => server.close());
  const user = new AppHome({ settings: answeredBy(server.url), env: { MAGI_TERM_MODEL: 'test-two' } });
  open.push(() => user.dispose());
  const program = user.start({ cols: 110 });
  await program.waitFor(/loopback\/test-two/, PATIENCE);
  program.press('f12');
  await program.waitFor(/Model +test-1/);
  await program.waitFor(
    /Next turn +loopback\/test-two · default\s+Decided by the environment of the service/,
  );
  program.press('down');
  program.press('enter');
  await program.waitFor(/ test-1/);
  await program.type('test-1');
  await program.waitFor(/› +test-1/);
  program.press('enter');
  await program.waitFor(/Saved for every folder\. It does not count yet: the environment of the service/);
  expect(program.screen.text()).toMatch(/Next turn +loopback\/test-two/);
});

it('another window that changes the settings is followed, on the screen and in the header', async () => {
  const server = await startModelServer({
    models: ['test-1', 'test-two'],
    script: () => [{ text: 'Done.' }],
  });
  open.push(() => server.close());
  const user = homeOf(answeredBy(server.url));
  const chat = user.start({ cols: 110 });
  await chat.waitFor(/loopback\/test-1/, PATIENCE);
  const screen = user.start({ cols: 110 });
  await screen.waitFor(/loopback\/test-1/, PATIENCE);
  screen.press('f12');
  await screen.waitFor(/Model +test-1/);
  const saved = JSON.parse(readFileSync(user.settingsFile, 'utf8'));
  writeFileSync(user.settingsFile, JSON.stringify({ ...saved, model: 'test-two' }));
  await screen.waitFor(/Next turn +loopback\/test-two/, PATIENCE);
  await chat.type('Hello');
  chat.press('enter');
  await chat.waitFor('Done.');
  await chat.waitFor(/loopback\/test-two/);
});

it('colours change at once, and a file that was broken by hand says where, and is left alone', async () => {
  const user = homeOf({ provider: 'demo', model: 'demo-1' });
  const broken = '{\n  "provider": "demo",\n  "model": "demo-1",\n  "ui": { "theme": "pink" }\n}\n';
  const editor = join(user.root, 'editor.sh');
  writeFileSync(editor, `#!/bin/sh\ncat > "$1" <<'END'\n${broken}END\n`, { mode: 0o755 });
  let output = '';
  const program = user.start({
    env: { EDITOR: editor, VISUAL: '' },
    onOutput: (bytes) => {
      output += bytes.toString('latin1');
    },
  });
  await program.waitFor('ready', PATIENCE);
  program.press('f12');
  await program.waitFor(/Colours +auto/);
  for (let down = 0; down < 4; down += 1) program.press('down');
  await program.waitFor(/› Colours/);
  const painted = /\u001b\[[\d;]*38;[25];/;
  expect(output).toMatch(painted);
  program.press('left');
  await program.waitFor(/Colours +none/);
  expect(JSON.parse(readFileSync(user.settingsFile, 'utf8')).ui).toEqual({ theme: 'none' });
  output = '';
  program.press('down');
  await program.waitFor(/› Notifications/);
  expect(output).not.toMatch(painted);

  program.write('e');
  await program.waitFor(/settings\.json:4:11: ui\.theme: /, PATIENCE);
  expect(program.screen.text()).toMatch(/Colours +none/);
  program.press('right');
  program.press('down');
  await program.waitFor(/› Window title/);
  expect(program.screen.text()).toMatch(/Notifications +auto/);
  expect(readFileSync(user.settingsFile, 'utf8')).toBe(broken);

  writeFileSync(
    user.settingsFile,
    '{"provider":"demo","model":"demo-1","ui":{"keys":{"chat.settings":"alt+z"}}}',
  );
  program.write('r');
  await program.waitFor(/Keys +1 of your own/);
  program.press('escape');
  await program.waitFor('ready');
  program.write('\u001bz');
  await program.waitFor(/Colours +auto/);
});

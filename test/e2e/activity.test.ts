/** What the agent does, beside the talk or on a screen of its own, as a person sees it. */
import { afterEach, expect, it } from 'vitest';
import { AppHome } from '../support/app.ts';

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

function home(): AppHome {
  const user = new AppHome({ settings: { provider: 'demo', model: 'demo-1' } });
  open.push(() => user.dispose());
  return user;
}

it('shows a subagent and its tools as they run and end, and goes where the keys lead', async () => {
  const program = home().start({ cols: 120, rows: 30 });
  await program.waitFor('ready');
  expect(program.screen.text()).not.toContain('Activity');
  await program.type('Use a subagent to run echo hello');
  program.press('enter');
  await program.waitFor('bash asks for permission');
  await program.waitFor(/▾ ◐ A look around +1 tool[\s\S]* ◐ bash +echo hello/);
  expect(program.screen.text()).toMatch(/⟳ task +A look around +1 tool/);

  // The keys go to the tree; the question can still be answered.
  program.press('f4');
  await program.waitFor('Esc write');
  program.press('f6');
  await program.waitFor(/▾ ✓ A look around +1 tool[\s\S]* ✓ bash +echo hello/);
  await program.waitFor('Last turn');
  await program.type('o');
  await program.waitFor(/bash · echo hello[\s\S]*output/);
  program.press('escape');
  await program.waitFor('Last turn');
  await program.type('k');
  program.press('enter');
  await program.waitFor(/▸ ✓ A look around/);
  program.press('escape');
  await program.waitFor('Enter send');
  await program.type('draft');
  await program.waitFor('› draft');

  // The same key goes back to it, and hides it.
  program.press('f4');
  await program.waitFor('Esc write');
  program.press('f4');
  await program.waitFor((screen) => !screen.text().includes('Last turn'));
});

it('takes the screen of a narrow window, and says there that the agent asks', async () => {
  const program = home().start({ cols: 70, rows: 20 });
  await program.waitFor('ready');
  await program.type('Use a subagent to run echo hello');
  program.press('enter');
  await program.waitFor('bash asks for permission');
  expect(program.screen.text()).not.toContain('Activity');
  program.press('ctrl+t');
  await program.waitFor(/Activity[\s\S]* ◐ bash +echo hello[\s\S]*\? waiting for your answer/);
  program.press('ctrl+t');
  await program.waitFor('bash asks for permission');
  program.press('f8');
  await program.waitFor('ready');
  program.press('ctrl+t');
  await program.waitFor(/Last turn[\s\S]*⊘ bash +echo hello/);
  program.press('escape');
  await program.waitFor('Write a message');
});

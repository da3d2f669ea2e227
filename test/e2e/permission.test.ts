/** A tool asks, a person answers, the rule is kept and can be taken away again (PROTOCOL.md, "Session profile"). */
import { afterEach, expect, it } from 'vitest';
import { AppHome } from '../support/app.ts';
import type { PtyProgram } from '../support/pty.ts';

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

const RULE = 'bash: echo "You allowed it."';

function home(): AppHome {
  const user = new AppHome({ settings: { provider: 'demo', model: 'demo-1' } });
  open.push(() => user.dispose());
  return user;
}

async function ask(program: PtyProgram): Promise<void> {
  await program.waitFor('ready');
  await program.type('ask permission');
  program.press('enter');
}

it('asked, allowed always, the rule is seen and removed, and then it is asked again', async () => {
  const user = home();
  const program = user.start();
  await ask(program);
  await program.waitFor(/bash asks for permission[\s\S]*echo "You allowed it\."[\s\S]*F7 always/);
  expect(program.screen.text()).toContain('waiting for your answer');
  program.press('f7');
  await program.waitFor('It worked');
  expect(await user.command(['rules'])).toMatchObject({ code: 0, stdout: `allow  ${RULE}\n` });

  await ask(program);
  await program.waitFor((screen) => screen.text().split('It worked').length === 3);
  expect(program.screen.text()).not.toContain('asks for permission');

  expect(await user.command(['rules', 'remove', RULE])).toMatchObject({ code: 0 });
  expect(await user.command(['rules'])).toMatchObject({ code: 0, stdout: '' });
  expect(await user.command(['rules', 'remove', RULE])).toMatchObject({ code: 1 });
  await ask(program);
  await program.waitFor('bash asks for permission');
  program.press('f8');
  await program.waitFor('not allowed');
  await program.waitFor('ready');
});

it('a question outlives the program that showed it, and is answered in the next one', async () => {
  const user = home();
  const first = user.start();
  await ask(first);
  await first.waitFor('bash asks for permission');
  process.kill(first.pid, 'SIGKILL');
  await first.exit;
  const second = user.start({ args: ['--session', 'last'] });
  await second.waitFor('bash asks for permission');
  second.press('f6');
  await second.waitFor('It worked');
  expect(await user.command(['rules'])).toMatchObject({ code: 0, stdout: '' });
});

it('with everything of its kind allowed, nothing is asked', async () => {
  const user = home();
  expect(await user.command(['config', 'set', 'allow.bash', 'true'])).toMatchObject({ code: 0 });
  const program = user.start();
  await ask(program);
  await program.waitFor('It worked');
  expect(program.screen.text()).not.toContain('asks for permission');
});

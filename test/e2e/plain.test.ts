/** The interface for screen readers: text is only added, and lines are typed as anywhere. */
import { afterEach, expect, it } from 'vitest';
import { AppHome } from '../support/app.ts';
import type { PtyProgram } from '../support/pty.ts';

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

function home(settings: unknown = { provider: 'demo', model: 'demo-1' }): AppHome {
  const user = new AppHome({ settings });
  open.push(() => user.dispose());
  return user;
}

function started(user: AppHome): PtyProgram {
  return user.start({ args: ['--screen-reader'], env: { TERM: 'dumb' }, rows: 60 });
}

function line(program: PtyProgram, text: string): void {
  program.write(`${text}\r`);
}

function expectPlain(program: PtyProgram): void {
  expect(program.bytes()).not.toContain('\u001b');
  expect(program.bytes()).not.toMatch(/[\u2500-\u257f\u2580-\u259f\u25d0-\u25d3]/u);
}

it('talks, asks, lists and leaves without one escape byte', async () => {
  const program = started(home());
  await program.waitFor('Ready. Type a message');
  line(program, 'hello there');
  await program.waitFor(/Agent: [\s\S]*The turn has ended\./);
  line(program, 'ask permission');
  await program.waitFor(/The agent asks: bash wants to run:\s+echo "You allowed it\."\s+Type y to allow/);
  line(program, 'y');
  await program.waitFor(/Tool bash: done[\s\S]*The turn has ended\./);
  line(program, '/sessions');
  await program.waitFor(/Sessions\. Type a number to open one\.\s+1\. hello there, today/);
  line(program, '1');
  await program.waitFor('This session is open.');
  line(program, '/nonsense');
  await program.waitFor('There is no command /nonsense.');
  expectPlain(program);
  line(program, '/quit');
  expect((await program.exit).code).toBe(0);
  expect(program.screen.text()).toMatch(/Go on with: .*--session/);
  expectPlain(program);
});

it('lets a number choose who answers', async () => {
  const user = home({});
  const program = started(user);
  await program.waitFor(/Who should answer\? Type a number\.[\s\S]*\d\. Demo/);
  const [, number = ''] = /(\d)\. Demo/.exec(program.screen.text()) ?? [];
  line(program, number);
  await program.waitFor(`${number}. Demo`);
  line(program, 'hello');
  await program.waitFor('The turn has ended.');
  expectPlain(program);
});

it('Ctrl+C stops the turn, then asks once before it leaves', async () => {
  const program = started(home());
  await program.waitFor('Ready.');
  line(program, 'slow');
  await program.waitFor('The agent works.');
  await program.waitFor('Agent:');
  program.write('\u0003');
  await program.waitFor(/Stopping\.[\s\S]*Stopped\.[\s\S]*The turn has ended\./);
  // The press that stopped the turn is the first of two only for two seconds.
  program.write('\u0003');
  await Promise.race([program.exit, program.waitFor('Ctrl+C again to leave.')]);
  program.write('\u0003');
  expect((await program.exit).code).toBe(0);
});

it('a line that ends with a backslash goes on in the next, and what was begun is kept', async () => {
  const user = home();
  const program = started(user);
  await program.waitFor('Ready.');
  line(program, 'first\\');
  line(program, 'second');
  await program.waitFor('The turn has ended.');
  line(program, 'half a thought\\');
  program.write('\u0004');
  await program.exit;
  const [, id = ''] = /--session (\S+)/.exec(program.screen.text()) ?? [];
  const next = user.start({ args: ['--session', id] });
  await next.waitFor('half a thought');
  await next.waitFor('second');
});

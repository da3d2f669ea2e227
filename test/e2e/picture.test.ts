/** A picture that goes with a message is drawn above its card, on a terminal that draws pictures. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { AppHome } from '../support/app.ts';
import { foreignSequences } from '../support/own-bytes.ts';

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAIAAAABCAYAAAD0In+KAAAADUlEQVR4nGP4z8DwHwAFAAH/q842iQAAAABJRU5ErkJggg==',
  'base64',
);
const HANDED_OVER = '\u001b_Ga=T,U=1,i=214,f=100,c=32,r=8,q=2,m=0;';
const TAKEN_BACK = '\u001b_Ga=d,d=I,i=214,q=2\u001b\\';

let user: AppHome;
afterEach(() => user.dispose());

async function attached(term: string) {
  user = new AppHome({ settings: { provider: 'demo', model: 'demo-1' } });
  const file = join(user.workspace, 'dot.png');
  writeFileSync(file, PNG);
  const program = user.start({ rows: 40, env: { TERM: term } });
  await program.waitFor('ready');
  program.paste(file);
  await program.waitFor(/▣ dot\.png/);
  return program;
}

it('is handed over once, drawn where its cells are, and taken back with its card', async () => {
  const program = await attached('xterm-kitty');
  await program.waitFor(() => program.bytes().includes(HANDED_OVER));
  await program.waitFor((screen) => screen.text().includes('\u{10eeee}'));
  const rows = program.screen.rows();
  const card = rows.findIndex((row) => row.includes('▣ dot.png'));
  const cells = rows.slice(card - 8, card).map((row) => [...row.matchAll(/\u{10eeee}/gu)].length);
  expect(cells).toEqual(Array.from({ length: 8 }, () => 32));
  await program.type('look');
  await program.waitFor('› look');
  expect(program.bytes().split(HANDED_OVER).length).toBe(2);
  for (let key = 0; key < 5; key += 1) program.press('backspace');
  await program.waitFor(() => program.bytes().includes(TAKEN_BACK));
  await program.waitFor((screen) => !/▣|\u{10eeee}/u.test(screen.text()));
  expect(foreignSequences(program.bytes(), ['picture'])).toEqual([]);
});

it('is a card alone anywhere else', async () => {
  const program = await attached('xterm-256color');
  await program.waitForQuiet(300);
  expect(program.bytes()).not.toContain('\u001b_');
  expect(program.screen.text()).not.toContain('\u{10eeee}');
});

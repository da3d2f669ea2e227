/** A test that leaks on purpose: what it plants must fail its run. It is started by `planted.test.ts` only. */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startPty } from '../../support/pty.ts';
import { discardFolder, registerSecret, type SecretKind } from '../ledger.ts';

const PLANT = process.env.PLANT ?? '';
const TOKEN = `made-up-token-${'0123456789'.repeat(12)}`;

/** On a screen, over several rows, each of them moved to and framed. */
async function onScreen(text: string): Promise<void> {
  const rows = text.match(/.{1,30}/g) ?? [];
  const drawn = rows.map((row, index) => `\u001b[${index + 3};5H│ \u001b[1m${row}\u001b[0m │`).join('');
  const program = startPty({
    command: process.execPath,
    args: ['-e', 'process.stdout.write(process.argv[1])', drawn],
  });
  expect((await program.exit).code).toBe(0);
  await program.dispose();
}

test('leaves what it is told to', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'magi-term-planted-'));
  mkdirSync(join(folder, 'auth'));
  const leave = (name: string, text: string): void => writeFileSync(join(folder, name), text);
  const kind: SecretKind = PLANT.startsWith('state') ? 'state' : 'access token';
  registerSecret(kind, TOKEN);
  leave('auth/auth.json', JSON.stringify({ providers: { anthropic: { key: 'made-up-key-in-store' } } }));
  leave('other.log', 'nothing');
  if (PLANT === 'log' || PLANT === 'state in a log') leave('service.log', `{"msg":"GET /?t=${TOKEN}"}`);
  if (PLANT === 'store') leave('draft.json', 'a key that is stored: made-up-key-in-store');
  if (PLANT === 'screen' || PLANT === 'state on a screen') await onScreen(TOKEN);
  discardFolder(folder);
});

/**
 * A home in which all is written that a program and its service ever write, around sign-ins that fail, succeed and are cut
 * off by a fault. That no secret of theirs is in it says the search at the end of the run.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { AppHome } from '../support/app.ts';
import { type CodexServer, startCodexServer } from '../support/codex-server.ts';
import { OAuthIssuer } from '../support/oauth-issuer.ts';
import { chosenProvider, linkOtherThan } from '../support/signing.ts';

const PATIENCE = { timeoutMs: 30_000 };
/** Loaded into the program: a fault of its own when it is told to. */
const FAULT = "process.on('SIGUSR2', () => { throw new Error('made-up fault'); });";

let issuer: OAuthIssuer;
let codex: CodexServer;
let user: AppHome;
beforeEach(async () => {
  issuer = await OAuthIssuer.start();
  codex = await startCodexServer(() => [{ text: 'Hello from afar.' }]);
  const env = { ...issuer.env, MAGI_TERM_CODEX_BASE_URL: codex.url };
  user = new AppHome({ settings: { provider: 'openai-codex', model: 'gpt-6-sol' }, env });
});
afterEach(async () => {
  await user.dispose();
  await codex.close();
  await issuer.close();
});

/** What is written in the files of the state folder whose name fits. */
function written(name: RegExp): string {
  return readdirSync(user.state, { recursive: true, encoding: 'utf8' })
    .filter((path) => name.test(path))
    .map((path) => readFileSync(join(user.state, path), 'utf8'))
    .join('\n');
}

it('writes a log, a talk, a prompt, a draft and a fault around sign-ins', { timeout: 90_000 }, async () => {
  const fault = `data:text/javascript,${encodeURIComponent(FAULT)}`;
  const program = user.start({ env: { NODE_OPTIONS: `--import=${fault}` } });
  await program.waitFor(/ready|Who should answer/, PATIENCE);
  await chosenProvider(program, /not signed in/);
  program.press('enter');
  const first = await linkOtherThan(program, '');
  program.paste(await issuer.agree(first, { state: 'of-somebody-else' }));
  await program.waitFor('••••', PATIENCE);
  program.press('enter');
  await program.waitFor('does not belong to this sign-in', PATIENCE);
  program.press('enter');
  const second = await linkOtherThan(program, first);
  program.paste(await issuer.agree(second));
  await program.waitFor('••••', PATIENCE);
  program.press('enter');
  await program.waitFor('You are signed in.', PATIENCE);
  program.press('escape');
  await program.waitFor(/› Write a message/, PATIENCE);
  await program.type('a word to send');
  program.press('enter');
  await program.waitFor('Hello from afar.', PATIENCE);
  await program.type('half a thought');
  await chosenProvider(program, /signed in/);
  program.press('enter');
  await linkOtherThan(program, second);
  program.kill('SIGUSR2');
  expect((await program.exit).code).toBe(1);

  expect(written(/^logs\/service-.*\.log$/)).toContain('a sign-in ended');
  expect(written(/^logs\/client-faults\.txt$/)).toContain('made-up fault');
  expect(written(/^sessions\/.*\.jsonl$/)).toContain('Hello from afar.');
  expect(written(/^drafts\/.*\/prompts\.jsonl$/)).toContain('a word to send');
  expect(written(/^drafts\/.*\.json$/)).toContain('half a thought');
});

/** The search can fail: a run that leaks ends red, and says where. */
import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify, stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';

const run = promisify(execFile);
const ROOT = resolve(import.meta.dirname, '../..');
const ARGS = [
  resolve(ROOT, 'node_modules/vitest/vitest.mjs'),
  ...['run', '--configLoader', 'runner', '--config', 'test/secrets/planted/vitest.config.ts'],
];

async function runThatLeaks(plant: string): Promise<{ code: number; text: string }> {
  const options = { cwd: ROOT, env: { ...process.env, PLANT: plant } };
  return run(process.execPath, ARGS, options).then(
    ({ stderr, stdout }) => ({ code: 0, text: stripVTControlCharacters(stdout + stderr) }),
    ({ code, stderr, stdout }) => ({ code, text: stripVTControlCharacters(stdout + stderr) }),
  );
}

test.each([
  ['log', /access token \(plain\) at byte 16 of kept\/\S+\/service\.log/],
  ['store', /key \(plain\) at byte 22 of kept\/\S+\/draft\.json/],
  ['screen', /access token \(plain\) at byte \d+ of shown\/\S+-terminal/],
  ['state in a log', /state \(plain\) at byte 16 of kept\/\S+\/service\.log/],
])('a secret in: %s', async (plant, where) => {
  const { code, text } = await runThatLeaks(plant);
  expect(text).toMatch(/Tests +1 passed/);
  expect(text).toMatch(where);
  expect(text).toMatch(
    /Search for secrets: 2 made-up secrets in \d files, \d+\.\d MB, \d+\.\d s: \d found\./,
  );
  expect(text).not.toContain('0123456789');
  expect(code).toBe(1);
});

test.each(['nothing', 'state on a screen'])('%s is no find', async (plant) => {
  const { code, text } = await runThatLeaks(plant);
  expect(text).toContain(': none found.');
  expect(code).toBe(0);
});

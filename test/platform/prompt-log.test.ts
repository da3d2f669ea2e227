import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MAX_PROMPTS, PromptLog } from '../../src/platform/prompt-log.ts';

let folder = '';
const file = () => join(folder, 'drafts', 'prompts.jsonl');

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'magi-term-prompts-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('the log of sent messages', () => {
  it('is empty at first, and gives back what was sent, whatever it holds', async () => {
    expect(await new PromptLog(file()).load()).toEqual([]);
    const log = new PromptLog(file());
    const sent = ['one', 'two\nlines\t"quoted"', '漢字 👩‍👩‍👧‍👦 \u2028'];
    for (const prompt of sent) log.add(prompt);
    expect(await new PromptLog(file()).load()).toEqual(sent);
  });

  it('can be read by its owner only', () => {
    new PromptLog(file()).add('secret');
    expect(statSync(file()).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, 'drafts')).mode & 0o777).toBe(0o700);
  });

  it('holds what several programs wrote, each message once at its last place', async () => {
    const [one, other] = [new PromptLog(file()), new PromptLog(file())];
    one.add('a');
    other.add('b');
    one.add('c');
    other.add('a');
    expect(await one.load()).toEqual(['b', 'c', 'a']);
  });

  it('passes over what it cannot read', async () => {
    const log = new PromptLog(file());
    log.add('good');
    appendFileSync(file(), '{"not":"a string"}\n"torn\n');
    log.add('after');
    expect(await log.load()).toEqual(['good', 'after']);
  });

  it('keeps the newest, and a file of bounded size', async () => {
    new PromptLog(file()).add('first');
    const many = Array.from({ length: MAX_PROMPTS * 3 }, (_, at) => `${JSON.stringify(`p${at}`)}\n`);
    writeFileSync(file(), many.join(''));
    const kept = await new PromptLog(file()).load();
    expect(kept.length).toBe(MAX_PROMPTS);
    expect(kept.at(-1)).toBe(`p${MAX_PROMPTS * 3 - 1}`);
    expect(readFileSync(file(), 'utf8').split('\n').length).toBe(MAX_PROMPTS + 1);
  });

  it('does not fail where nothing can be written', () => {
    writeFileSync(join(folder, 'drafts'), 'a file');
    expect(() => new PromptLog(file()).add('x')).not.toThrow();
  });
});

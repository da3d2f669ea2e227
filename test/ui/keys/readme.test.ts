import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { helpTable } from '../../../src/ui/keys/bindings.ts';

const WHERE = {
  chat: 'everywhere',
  question: 'the agent asks',
  composer: 'writing',
  transcript: 'reading',
  list: 'lists',
  choice: 'questions',
  help: 'help',
};

it('lists in the README the keys that the program has', () => {
  const rows = helpTable().map(({ context, keys, title }) => `| ${WHERE[context]} | ${keys} | ${title} |`);
  const table = ['| where | key | what it does |', '| --- | --- | --- |', ...rows].join('\n');
  const readme = readFileSync(resolve(import.meta.dirname, '../../../README.md'), 'utf8');
  const shown = /<!-- keys -->\n([\s\S]*?)\n?<!-- \/keys -->/.exec(readme)?.[1]?.trim();
  expect(shown).toBe(table);
});

/** The table of scripts, and the table of deliberate differences in PROTOCOL.md: each names the other. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { CONVERSATIONS, RECORDS } from './topics.ts';

const PROTOCOL = new URL('../../src/wire/PROTOCOL.md', import.meta.url);
const topics = [...RECORDS, ...CONVERSATIONS];

/** First column of the table. */
function listedRows(): string[] {
  const text = readFileSync(PROTOCOL, 'utf8').split('\n## Embedded service\n')[1]?.split('\n## ')[0] ?? '';
  const rows = text.split('\n').filter((line) => line.startsWith('|'));
  // Heading and rule come first.
  return rows.slice(2).map((row) => (row.split('|')[1] ?? '').replaceAll('`', '').trim());
}

test('every difference that is listed is shown by a script, and none is shown that is not listed', () => {
  const shown = topics.flatMap(({ scripts }) =>
    scripts.flatMap(({ differences = [] }) => differences.map(({ row }) => row)),
  );
  expect([...new Set(shown)].toSorted()).toEqual(listedRows().toSorted());
});

test('there are many scripts, each with a name of its own', () => {
  const names = topics.flatMap(({ name, scripts }) => scripts.map((script) => `${name}: ${script.name}`));
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
  expect(names.length).toBeGreaterThanOrEqual(150);
});

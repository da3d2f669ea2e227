import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { withKeyTable } from '../../docs/key-table.ts';

it('lists in the README the keys that the program has', () => {
  const readme = readFileSync(resolve(import.meta.dirname, '../../../README.md'), 'utf8');
  // `npm run docs` writes it.
  expect(readme).toBe(withKeyTable(readme));
});

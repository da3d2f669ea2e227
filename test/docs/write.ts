/** `npm run docs`: writes what the README shows of the program. */
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { withKeyTable } from './key-table.ts';

const README = resolve(import.meta.dirname, '../../README.md');
writeFileSync(README, withKeyTable(readFileSync(README, 'utf8')));

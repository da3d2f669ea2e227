/** `npm run recording`: writes docs/demo.cast. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { recorded, tour } from './recording.ts';

const FOLDER = resolve(import.meta.dirname, '../../docs');

mkdirSync(FOLDER, { recursive: true });
writeFileSync(join(FOLDER, 'demo.cast'), await recorded(tour));
process.stdout.write('docs/demo.cast\n');

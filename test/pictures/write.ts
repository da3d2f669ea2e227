/** `npm run pictures`: the pictures of the README, from the program itself. Names of scenes after it draw only these. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { drawScene } from './draw.ts';
import { SCENES } from './scenes.ts';

const FOLDER = resolve(import.meta.dirname, '../../docs/pictures');

mkdirSync(FOLDER, { recursive: true });
const wanted = process.argv.slice(2);
for (const scene of SCENES.filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
  writeFileSync(join(FOLDER, `${scene.name}.svg`), await drawScene(scene));
  process.stdout.write(`docs/pictures/${scene.name}.svg\n`);
}

/** `npm run bench -- NAME --json`: one JSON object of medians and ratios, measured in one run. */
import { idle } from './idle.ts';
import { recover } from './recover.ts';
import { start } from './start.ts';
import { stream } from './stream.ts';
import { wire } from './wire.ts';

const BENCHES: Readonly<Record<string, () => Promise<Readonly<Record<string, number>>>>> = {
  start,
  stream,
  idle,
  wire,
  recover,
};

const [name = '', ...flags] = process.argv.slice(2);
const bench = BENCHES[name];
if (bench === undefined) {
  process.stderr.write(`usage: npm run bench -- ${Object.keys(BENCHES).join('|')} [--json]\n`);
  process.exitCode = 2;
} else {
  const figures = await bench();
  if (flags.includes('--json')) process.stdout.write(`${JSON.stringify({ bench: name, ...figures })}\n`);
  else
    for (const [figure, value] of Object.entries(figures))
      process.stdout.write(`${figure.padEnd(32)} ${value}\n`);
}

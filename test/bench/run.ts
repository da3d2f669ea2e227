/** `npm run bench -- NAME --json`: one JSON object of medians and ratios, measured in one run. */
import { composer } from './composer.ts';
import { idle } from './idle.ts';
import { load } from './load.ts';
import { memory } from './memory.ts';
import { recover } from './recover.ts';
import { start } from './start.ts';
import { stream } from './stream.ts';
import { ui } from './ui.ts';
import { wire } from './wire.ts';

type Bench = (flags: readonly string[]) => Promise<Readonly<Record<string, number>>>;

const BENCHES: Readonly<Record<string, Bench>> = {
  start,
  stream,
  idle,
  wire,
  recover,
  load,
  memory,
  composer,
  ui,
};

const [name = '', ...flags] = process.argv.slice(2);
const bench = BENCHES[name];
if (bench === undefined) {
  process.stderr.write(
    `usage: npm run bench -- ${Object.keys(BENCHES).join('|')} [--json] [--seconds N] [--runs N]\n`,
  );
  process.exitCode = 2;
} else {
  const figures = await bench(flags);
  if (flags.includes('--json')) process.stdout.write(`${JSON.stringify({ bench: name, ...figures })}\n`);
  else
    for (const [figure, value] of Object.entries(figures))
      process.stdout.write(`${figure.padEnd(32)} ${value}\n`);
}

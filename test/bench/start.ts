/** From the start of the program to the first full frame that takes a key, against an empty bundled Ink program. */
import { rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { build } from 'esbuild';
import { AppHome } from '../support/app.ts';
import { type PtyProgram, startPty } from '../support/pty.ts';
import { median, rounded, timed } from './measure.ts';

const RUNS = 9;
const DEMO = { provider: 'demo', model: 'demo-1' };

export async function start(): Promise<Readonly<Record<string, number>>> {
  const floorScript = await buildFloor();
  const home = new AppHome({ settings: DEMO });
  const floor: number[] = [];
  const bare: number[] = [];
  const warm: number[] = [];
  const cold: number[] = [];
  try {
    await toFirstKey(home.start());
    await toFirstKey(startPty({ command: process.execPath, args: [floorScript] }));
    for (let run = 0; run < RUNS; run += 1) {
      bare.push(
        await timed(async () => void (await startPty({ command: process.execPath, args: ['-e', '0'] }).exit)),
      );
      floor.push(await toFirstKey(startPty({ command: process.execPath, args: [floorScript] })));
      warm.push(await toFirstKey(home.start()));
      const fresh = new AppHome({ settings: DEMO });
      cold.push(await toFirstKey(fresh.start()));
      await fresh.dispose();
    }
  } finally {
    await home.dispose();
    rmSync(floorScript, { force: true });
  }
  return {
    bare_node_ms: rounded(median(bare)),
    empty_ink_ms: rounded(median(floor)),
    service_running_ms: rounded(median(warm)),
    service_starting_ms: rounded(median(cold)),
    empty_ink_to_bare_node: rounded(median(floor) / median(bare)),
    running_to_empty_ink: rounded(median(warm) / median(floor)),
    starting_to_empty_ink: rounded(median(cold) / median(floor)),
  };
}

/** The key is pressed at once; it counts when the screen shows it. */
async function toFirstKey(program: PtyProgram): Promise<number> {
  const ms = await timed(async () => {
    await program.waitFor('›', { timeoutMs: 20_000 });
    program.write('k');
    await program.waitFor('› k', { timeoutMs: 20_000 });
  });
  await program.dispose();
  return ms;
}

/** The smallest Ink program that shows a full frame and takes a key, bundled as ours is. */
async function buildFloor(): Promise<string> {
  const outfile = resolve(import.meta.dirname, '../../dist/bench-floor.mjs');
  await build({
    entryPoints: [resolve(import.meta.dirname, 'floor.tsx')],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    jsx: 'automatic',
    minify: true,
    define: { 'process.env.NODE_ENV': '"production"', 'process.env.DEV': '"false"' },
    alias: { 'react-devtools-core': resolve(import.meta.dirname, '../../src/platform/empty.ts') },
    banner: { js: "import{createRequire as __r}from'node:module';const require=__r(import.meta.url);" },
    logLevel: 'warning',
  });
  return outfile;
}

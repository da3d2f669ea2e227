import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startPty } from '../support/pty.ts';

const ROOT = resolve(import.meta.dirname, '../..');

/** The interface over a conversation that does nothing, then `fault`. */
const program = (fault: string): string => `
  import { INITIAL } from './src/store/state.ts';
  import { Store } from './src/store/store.ts';
  import { runInterface } from './src/ui/run.tsx';
  const store = new Store(INITIAL, (run) => setTimeout(run, 0));
  const conversation = { draft: '', keepDraft() {}, async close() {} };
  const abilities = { colour: 'none', links: false, dumb: false, unicode: true };
  const farewell = (state, cause) => (cause.kind === 'fault' ? 'stopped by a fault: ' + cause.error.message : null);
  runInterface({ store, conversation, abilities, folder: '~', farewell });
  setTimeout(() => { ${fault} }, 200);
`;

let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'magi-term-fault-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

async function bundled(fault: string): Promise<string> {
  const outfile = join(folder, 'program.mjs');
  await build({
    stdin: { contents: program(fault), resolveDir: ROOT, loader: 'ts' },
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    jsx: 'automatic',
    define: { 'process.env.NODE_ENV': '"production"', 'process.env.DEV': '"false"' },
    alias: { 'react-devtools-core': join(ROOT, 'src/platform/empty.ts') },
    banner: { js: "import{createRequire as __r}from'node:module';const require=__r(import.meta.url);" },
    logLevel: 'silent',
  });
  return outfile;
}

describe('FC-11: an unexpected fault', () => {
  it.each([
    ['in a component', 'store.update((state) => ({ ...state, history: null }));'],
    ['outside any component', "throw new Error('boom');"],
    ['in a promise', "void Promise.reject(new Error('boom'));"],
  ])('%s gives the terminal back and says why', async (_name, fault) => {
    const pty = startPty({ command: process.execPath, args: [await bundled(fault)] });
    await pty.waitFor('Write a message');
    expect(await pty.exit).toEqual({ code: 1, signal: null });
    expect(pty.screen.modes()).toMatchObject({ alternate: false, bracketedPaste: false, kittyDepth: 0 });
    expect(pty.screen.cursor().visible).toBe(true);
    expect(pty.screen.normalText()).toContain('stopped by a fault: ');
    await pty.dispose();
  });
});

/**
 * `npm run test:interop -- [vitest's arguments]`, and `test:conformance`: provides the real daemon and runs vitest where
 * and as whom the daemon can be served. Vitest has the last word on the console, and its exit code is ours.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { type Lodging, leaveLodging, takeLodging } from './lodging.ts';
import { provideProgram } from './program.ts';

const program = provideProgram();
if (program.kind === 'found') {
  const lodging = takeLodging(program.path);
  try {
    process.exitCode = await runVitest(lodging, process.argv.slice(2));
  } finally {
    leaveLodging(lodging);
  }
} else {
  const fails = program.kind === 'failed' || (process.env.CI ?? '') !== '';
  console.log(`${program.sentence}${fails ? '' : ' This suite is skipped.'}`);
  process.exitCode = fails ? 1 : 0;
}

function runVitest({ node, cwd, env, user }: Lodging, args: readonly string[]): Promise<number> {
  return new Promise((done, fail) => {
    // The other ways to load the configuration write beside it.
    const vitest = [join(cwd, 'node_modules/vitest/vitest.mjs'), 'run', '--configLoader', 'runner', ...args];
    const child = spawn(node, vitest, { cwd, env, stdio: 'inherit', ...user });
    // It ends after a signal, and only then the folder may go. A terminal interrupts both of us.
    const pass = () => void child.kill('SIGTERM');
    const wait = () => {};
    process.on('SIGTERM', pass).on('SIGINT', wait);
    child.on('error', fail);
    child.on('exit', (code) => {
      process.off('SIGTERM', pass).off('SIGINT', wait);
      done(code ?? 1);
    });
  });
}

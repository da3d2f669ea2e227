// Runs the program on the Node that the checkout pins; without one, says in one line what is needed.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** @param {string} wanted oldest version that works, for example `22.19` */
export function handOver(wanted) {
  const pinned = fileURLToPath(new URL('../node_modules/node/bin/node', import.meta.url));
  if (!existsSync(pinned)) {
    process.stderr.write(`magi-term needs Node ${wanted} or newer; this is ${process.versions.node}.\n`);
    process.exitCode = 1;
    return;
  }
  const script = fileURLToPath(new URL('./magi-term.js', import.meta.url));
  const child = spawn(pinned, [script, ...process.argv.slice(2)], { stdio: 'inherit' });
  // The terminal signals the whole foreground group; the child decides what that means.
  for (const signal of ['SIGINT', 'SIGQUIT']) process.on(signal, () => {});
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  });
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? 128 + (signal === 'SIGKILL' ? 9 : 1);
  });
}

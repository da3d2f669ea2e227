#!/usr/bin/env node
// Starts the built program on a Node that is new enough. Must parse on old Node.
const wanted = [22, 19];

const [major, minor] = process.versions.node.split('.').map(Number);
const isNewEnough = major > wanted[0] || (major === wanted[0] && minor >= wanted[1]);

function fail(text) {
  process.stderr.write(`${text}\n`);
  process.exitCode = 1;
}

if (isNewEnough) {
  import('../dist/cli.js').then(
    (program) => program.main(),
    (error) => {
      if (error.code === 'ERR_MODULE_NOT_FOUND' && /dist.cli\.js/.test(error.message)) {
        fail('magi-term is not built yet: run npm ci in its folder.');
      } else {
        fail(`magi-term could not start: ${error.message}`);
      }
    },
  );
} else {
  import('./hand-over.js').then(
    (module) => module.handOver(wanted.join('.')),
    (error) => fail(error.message),
  );
}

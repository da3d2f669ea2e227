import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

// Each test has a daemon of its own; one file at a time keeps their timing apart.
export default defineConfig({
  cacheDir: join(tmpdir(), 'magi-term-interop-cache'),
  test: {
    include: ['test/interop/**/*.test.ts'],
    globalSetup: ['test/secrets/global-setup.ts'],
    fileParallelism: false,
    // The table of sign-ins is told as it is.
    disableConsoleIntercept: true,
    // The checkout may be read only.
    fsModuleCache: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});

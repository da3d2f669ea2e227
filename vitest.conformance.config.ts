import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

// The scripts of one topic share a service of each kind; they mostly wait.
export default defineConfig({
  cacheDir: join(tmpdir(), 'magi-term-conformance-cache'),
  test: {
    include: ['test/conformance/**/*.test.ts'],
    globalSetup: ['test/secrets/global-setup.ts'],
    maxWorkers: 2,
    // The checkout may be read only.
    fsModuleCache: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});

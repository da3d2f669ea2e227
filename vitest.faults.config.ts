import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/faults/**/*.test.ts'],
    globalSetup: ['test/secrets/global-setup.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Most tests wait: one at a time would take much longer.
    maxWorkers: 2,
    // What a fault came to is told as it is written.
    disableConsoleIntercept: true,
  },
});

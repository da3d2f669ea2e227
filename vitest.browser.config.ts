import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/browser/**/*.test.ts'],
    globalSetup: ['test/secrets/global-setup.ts'],
    testTimeout: 90_000,
    hookTimeout: 60_000,
    // A browser, the program and its service at a time are enough.
    fileParallelism: false,
  },
});

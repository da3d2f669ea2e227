import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.{ts,tsx}'],
    globalSetup: ['test/secrets/global-setup.ts'],
    exclude: ['test/browser/**', 'test/conformance/**', 'test/faults/**', 'test/interop/**'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});

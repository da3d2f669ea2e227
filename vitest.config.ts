import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.{ts,tsx}'],
    exclude: ['test/conformance/**', 'test/faults/**', 'test/interop/**'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});

import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    root: new URL('../../..', import.meta.url).pathname,
    include: ['test/secrets/planted/leaks.ts'],
    globalSetup: ['test/secrets/global-setup.ts'],
    fsModuleCache: false,
  },
});

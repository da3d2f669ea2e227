// Bundles the client and the service with shared chunks. Native and binary-carrying packages stay outside.
import { rm } from 'node:fs/promises';
import { build } from 'esbuild';
import { inkPatch } from './ink-patch.mjs';

await rm('dist', { recursive: true, force: true });
await build({
  entryPoints: { cli: 'src/cli/main.ts', 'file-worker': 'src/ui/completion/file-worker.ts' },
  outdir: 'dist',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node22',
  jsx: 'automatic',
  minify: true,
  keepNames: true,
  sourcemap: 'linked',
  sourcesContent: false,
  legalComments: 'none',
  define: { 'process.env.NODE_ENV': '"production"', 'process.env.DEV': '"false"' },
  external: ['@vscode/ripgrep'],
  alias: { 'react-devtools-core': './src/platform/empty.ts' },
  banner: {
    // What CommonJS packages expect of their surroundings.
    js: [
      "import{createRequire as __createRequire}from'node:module';",
      'const require=__createRequire(import.meta.url),__filename=import.meta.filename,__dirname=import.meta.dirname;',
    ].join(''),
  },
  plugins: [inkPatch],
  logLevel: 'warning',
});

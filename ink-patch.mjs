/**
 * A small patch of Ink, made while we bundle it: rows that come ready for the terminal go past Ink's work on
 * them (`src/ui/ink/ready-rows.ts`). A frame costs a third of what it did.
 * `test/ui/ink-patch.test.ts` fails when Ink's files are others than those that this was made for.
 */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

const READY = JSON.stringify(fileURLToPath(new URL('src/ui/ink/ready-rows.ts', import.meta.url)));

/** In each file of `ink/build`: code that stands there exactly once, and what takes its place. */
export const INK_PATCHES = [
  {
    file: 'render-node-to-output.js',
    from: '        let text = squashTextNodes(node);\n        if (text.length > 0) {\n            const currentWidth',
    to: `        const ready = readyRow(node, getMaxWidth(yogaNode));
        if (ready !== null) {
            writeReady(output, x, y, ready);
            return;
        }
        let text = squashTextNodes(node);\n        if (text.length > 0) {\n            const currentWidth`,
    more: `import { readyRow, writeReady } from ${READY};`,
  },
  {
    file: 'output.js',
    from: 'export default class Output {',
    to: 'class Output {',
    more: `import { withReadyRows } from ${READY};\nexport default withReadyRows(Output);`,
  },
  {
    file: 'log-update.js',
    from: "import lineUpdate from './line-update.js';",
    to: "import updateOf from './line-update.js';",
    more: `import { withShortWay } from ${READY};\nconst lineUpdate = withShortWay(updateOf);`,
  },
];

/** A file of Ink with its patch. @throws when it is not the Ink that the patch was made for */
export function patched(file, source) {
  const patch = INK_PATCHES.find((entry) => entry.file === file);
  if (patch === undefined || source.split(patch.from).length !== 2)
    throw new Error(`ink/build/${file} has changed: see ink-patch.mjs`);
  return `${source.replace(patch.from, () => patch.to)}\n${patch.more}\n`;
}

/** For esbuild. */
export const inkPatch = {
  name: 'ink-patch',
  setup(build) {
    const names = INK_PATCHES.map(({ file }) => file.replace('.', '\\.'));
    const filter = new RegExp(`[/\\\\]ink[/\\\\]build[/\\\\](?:${names.join('|')})$`);
    build.onLoad({ filter }, async ({ path }) => {
      const file = path.split(/[/\\]/).at(-1) ?? '';
      return { contents: patched(file, await readFile(path, 'utf8')), loader: 'js' };
    });
  },
};

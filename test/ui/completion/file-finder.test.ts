import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { FileFinder } from '../../../src/ui/completion/file-finder.ts';
import type { FileAnswer } from '../../../src/ui/completion/file-talk.ts';

const closing: (() => void)[] = [];

function finderIn(files: readonly (string | Buffer)[]) {
  const folder = mkdtempSync(join(tmpdir(), 'magi-term-files-'));
  for (const file of files) {
    const path = Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(file)]);
    if (typeof file === 'string') mkdirSync(join(folder, file, '..'), { recursive: true });
    writeFileSync(path, '');
  }
  const answers: FileAnswer[] = [];
  const finder = new FileFinder(folder, (answer) => answers.push(answer));
  closing.push(() => {
    finder.close();
    rmSync(folder, { recursive: true });
  });
  return { finder, answers, folder };
}

async function answerTo(scene: ReturnType<typeof finderIn>, query: string): Promise<string[]> {
  scene.finder.ask(query, 'opening');
  await vi.waitFor(
    () => expect(scene.answers.at(-1)).toMatchObject({ query, state: 'complete', kind: 'answer' }),
    { timeout: 15_000 },
  );
  return scene.answers.at(-1)?.items.map(({ path }) => path) ?? [];
}

afterEach(() => {
  for (const close of closing.splice(0)) close();
});

describe('the files of a folder', () => {
  it('are found, but for what .gitignore names and names that no draft can hold', async () => {
    const scene = finderIn([
      'src/app.ts',
      'src/old app.ts',
      'build/out.js',
      'bad\u0007name.ts',
      Buffer.from([0x61, 0xff, 0x2e, 0x74, 0x73]),
    ]);
    writeFileSync(join(scene.folder, '.gitignore'), 'build/\n');
    const paths = await answerTo(scene, '');
    expect(paths).toEqual(['src/']);
    expect(await answerTo(scene, 'app')).toEqual(expect.arrayContaining(['src/app.ts', 'src/old app.ts']));
    expect(await answerTo(scene, 'out')).toEqual([]);
    expect(await answerTo(scene, 'ts')).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/bad|^a/)]),
    );
  });

  it('answer the last of many questions, and not those that it overtook', async () => {
    const scene = finderIn(['one.ts']);
    await answerTo(scene, '');
    const before = scene.answers.length;
    for (let at = 0; at < 50; at += 1) scene.finder.ask(`no${at}`, 'open');
    await answerTo(scene, 'one');
    expect(scene.answers.length - before).toBeLessThan(40);
  });

  it('answer an empty folder, and a chosen file comes first the next time', async () => {
    const empty = finderIn([]);
    expect(await answerTo(empty, 'x')).toEqual([]);
    const scene = finderIn(['one.ts', 'two.ts']);
    scene.finder.took('two.ts');
    expect(await answerTo(scene, '')).toEqual(['two.ts', 'one.ts']);
  });
});

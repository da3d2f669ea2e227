import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { drawScene } from './draw.ts';
import { SCENES } from './scenes.ts';

const ROOT = resolve(import.meta.dirname, '../..');

describe('pictures', () => {
  it('are there for every scene, and the README shows some that are there', () => {
    for (const { name } of SCENES)
      expect(existsSync(resolve(ROOT, `docs/pictures/${name}.svg`)), name).toBe(true);
    const shown =
      readFileSync(resolve(ROOT, 'README.md'), 'utf8').match(/docs\/pictures\/[\w-]+\.svg/g) ?? [];
    expect(shown.length).toBeGreaterThanOrEqual(3);
    for (const path of shown) expect(existsSync(resolve(ROOT, path)), path).toBe(true);
  });

  it('of a scene are the same each time', { timeout: 120_000 }, async () => {
    const scene = SCENES.find(({ name }) => name === 'sessions');
    if (scene === undefined) throw new Error('no such scene');
    const first = await drawScene(scene);
    expect(first).toContain('Fix the flaky upload test');
    expect(first).toContain('today 12:02');
    expect(await drawScene(scene)).toBe(first);
  });
});

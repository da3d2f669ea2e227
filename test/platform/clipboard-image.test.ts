import { chmodSync, existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { clipboardImage, dropImage, keepImage } from '../../src/platform/clipboard-image.ts';
import { localFile } from '../../src/platform/local-file.ts';

let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'magi-term-clip-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const PNG = Buffer.from('\u0089PNG\r\n\u001a\nrest', 'latin1');
const env = (more: Readonly<Record<string, string>>) => ({ PATH: `${folder}:${process.env.PATH}`, ...more });

function helper(name: string, script: string): void {
  writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`);
  chmodSync(join(folder, name), 0o700);
}

describe('the image of the clipboard', () => {
  it('comes from the helper of the display', async () => {
    writeFileSync(join(folder, 'image'), PNG);
    helper('wl-paste', `cat ${folder}/image`);
    helper('xclip', `cat ${folder}/image`);
    const image = { kind: 'image', bytes: PNG };
    expect(await clipboardImage(env({ WAYLAND_DISPLAY: 'w' }), 'linux')).toEqual(image);
    expect(await clipboardImage(env({ DISPLAY: ':0' }), 'linux')).toEqual(image);
    helper('osascript', `echo "«data PNGf${PNG.toString('hex').toUpperCase()}»"`);
    expect(await clipboardImage(env({}), 'darwin')).toEqual(image);
  });

  it('is missing where there is no helper, no display, or something else', async () => {
    expect(await clipboardImage(env({}), 'linux')).toEqual({ kind: 'no-helper' });
    expect(await clipboardImage({ PATH: folder, DISPLAY: ':0' }, 'linux')).toEqual({ kind: 'no-helper' });
    helper('xclip', 'echo text');
    expect(await clipboardImage(env({ DISPLAY: ':0' }), 'linux')).toEqual({ kind: 'none' });
    helper('xclip', 'exit 1');
    expect(await clipboardImage(env({ DISPLAY: ':0' }), 'linux')).toEqual({ kind: 'none' });
  });

  it('is kept in a private file until it is dropped, and nothing else is', () => {
    const path = keepImage(PNG);
    expect([statSync(path).mode & 0o777, statSync(dirname(path)).mode & 0o777]).toEqual([0o600, 0o700]);
    expect(localFile(path, '/')).toEqual({ path, name: 'clipboard.png', size: PNG.length, kind: 'image' });
    dropImage(path);
    expect(existsSync(dirname(path))).toBe(false);
    writeFileSync(join(folder, 'mine.png'), PNG);
    dropImage(join(folder, 'mine.png'));
    expect(existsSync(join(folder, 'mine.png'))).toBe(true);
  });
});

describe('a file of this machine', () => {
  it('is known by its first bytes, not by its name, and must be a file', () => {
    writeFileSync(join(folder, 'a.txt'), PNG);
    writeFileSync(join(folder, 'b.png'), 'text');
    writeFileSync(join(folder, 'c.webp'), 'RIFF1234WEBPVP8 ');
    writeFileSync(join(folder, 'empty'), '');
    const kinds = ['a.txt', 'b.png', 'c.webp', 'empty'].map((name) => localFile(name, folder)?.kind);
    expect(kinds).toEqual(['image', 'file', 'image', 'file']);
    expect([localFile('.', folder), localFile('none', folder)]).toEqual([null, null]);
  });
});

import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { editorOf, editText } from '../../src/platform/editor.ts';

let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'magi-term-editor-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function program(name: string, script: string): string {
  const file = join(folder, name);
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o700);
  return file;
}

const edit = (command: string, text = 'a text') =>
  editText(text, command, {
    env: { ...process.env, TMPDIR: folder, OUT: folder },
    signal: new AbortController().signal,
  });

describe('the editor', () => {
  it('is the one that is named, else one that is there', async () => {
    expect(await editorOf({ VISUAL: 'code --wait', EDITOR: 'vi' })).toBe('code --wait');
    expect(await editorOf({ VISUAL: ' ', EDITOR: 'emacs -nw' })).toBe('emacs -nw');
    expect(await editorOf({ PATH: folder })).toBeNull();
    program('nano', '');
    expect(await editorOf({ PATH: `/nowhere:${folder}` })).toBe('nano');
    program('vi', '');
    expect(await editorOf({ PATH: folder })).toBe('vi');
  });

  it('gets a private file that is gone afterwards, and gives back what was written', async () => {
    const command = `${program('ed', 'stat -c "%a" "$2" "$(dirname "$2")" > "$OUT/seen"; echo "$2" >> "$OUT/seen"; printf "%s more\\n" "$1" >> "$2"')} --flag`;
    expect(await edit(command)).toEqual({ kind: 'edited', text: 'a text\n--flag more' });
    const [file = '', directory, path = ''] = readFileSync(join(folder, 'seen'), 'utf8').split('\n');
    expect([file, directory]).toEqual(['600', '700']);
    expect(readdirSync(join(path, '..', '..'))).not.toContain(path.split('/').at(-2));
  });

  it('changes nothing when nothing was written, when it fails, and when there is none', async () => {
    expect(await edit(program('same', 'touch "$1"'))).toEqual({ kind: 'unchanged' });
    expect(await edit(program('bad', 'echo lost > "$1"; exit 4'))).toEqual({
      kind: 'failed',
      reason: 'The editor ended with code 4.',
    });
    expect(await edit(join(folder, 'none'))).toMatchObject({
      kind: 'failed',
      reason: expect.stringMatching(/no such editor/),
    });
    expect(await edit(program('rm', 'rm "$1"'))).toMatchObject({ kind: 'failed' });
  });

  it('ends when this program does', async () => {
    const leaving = new AbortController();
    const edited = editText('x', program('slow', 'exec sleep 60'), {
      env: process.env,
      signal: leaving.signal,
    });
    setTimeout(() => leaving.abort(), 50);
    expect(await edited).toMatchObject({ kind: 'failed' });
  });
});

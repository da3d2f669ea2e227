import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { mcpServersOf } from '../../src/platform/mcp-settings.ts';
import { readSettings, type SettingsWrite, updateSettings } from '../../src/platform/settings.ts';
import { settingsFailure } from '../../src/platform/settings-failure.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mt-settings-'));
  file = join(folder, 'deep', 'settings.json');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const write = (text: string): void => {
  file = join(folder, 'settings.json');
  writeFileSync(file, text);
};

describe('reading', () => {
  test('nothing is empty settings', () => {
    expect(readSettings(file)).toEqual({ ok: true, settings: {}, warnings: [] });
    write(' \n');
    expect(readSettings(file)).toEqual({ ok: true, settings: {}, warnings: [] });
  });

  test('unknown members are kept and named', () => {
    const settings = {
      provider: 'box',
      theme: 'dark',
      providers: { box: { baseUrl: 'http://x', api: 'openai-completions', colour: 1 } },
      workspaces: { '/w': { allow: { bash: true }, mood: 'good' } },
    };
    write(JSON.stringify(settings));
    expect(readSettings(file)).toEqual({
      ok: true,
      settings,
      warnings: [
        'unknown setting theme',
        'unknown setting providers.box.colour',
        'unknown setting workspaces./w.mood',
      ],
    });
  });

  test('MCP servers of a workspace stand before those of all', () => {
    const settings = {
      mcpServers: {
        files: { command: 'npx', args: ['-y', 'x'], env: { A: '1' }, cwd: 'sub', timeoutMs: 5, colour: 1 },
        web: { url: 'https://example.org/mcp', headersEnv: { Authorization: 'TOKEN' } },
      },
      workspaces: { '/w': { mcpServers: { web: { url: 'http://127.0.0.1:1', disabled: true } } } },
    };
    write(JSON.stringify(settings));
    const warnings = ['unknown setting mcpServers.files.colour'];
    expect(readSettings(file)).toEqual({ ok: true, settings, warnings });
    expect(mcpServersOf(settings, '/other')).toEqual(settings.mcpServers);
    expect(mcpServersOf(settings, '/w').web).toEqual({ url: 'http://127.0.0.1:1', disabled: true });
  });

  test.each([
    '{"a/b": {"command": "x"}}',
    '{"a": {}}',
    '{"a": {"url": "file:///x"}}',
    '{"a": {"url": "http://x", "headersEnv": {"a b": "X"}}}',
    '{"a": {"command": "x", "timeoutMs": 0}}',
  ])('%s names no MCP server', (servers) => {
    write(`{"mcpServers": ${servers}}`);
    expect(readSettings(file)).toMatchObject({
      ok: false,
      error: { reason: expect.stringMatching(/^mcpServers\.a/u) },
    });
  });

  test.each<[string, number, number, string]>([
    ['{\n  "provider": "x",\n}', 3, 1, 'not valid JSON'],
    ['{\n  "provider" "x"\n}', 2, 14, 'not valid JSON'],
    ['{\n  provider: "x"\n}', 2, 3, 'not valid JSON'],
    ['{"a": 1}\n}', 2, 1, 'not valid JSON'],
    ['{"a": [1, 2', 1, 12, 'not valid JSON'],
    ['{"a": 01}', 1, 7, 'not valid JSON'],
    ['{"a": tru}', 1, 7, 'not valid JSON'],
    ['{\n "fast": "yes"\n}', 2, 2, 'fast: Invalid input: expected boolean, received string'],
    [
      '{\n "workspaces": {"/w":\n  {"model": 5}}}',
      3,
      4,
      'workspaces./w.model: Invalid input: expected string, received number',
    ],
    ['[]', 1, 1, 'the file: Invalid input: expected object, received array'],
  ])('%j is wrong in line %i, column %i', (text, line, column, reason) => {
    write(text);
    expect(readSettings(file)).toEqual({ ok: false, error: { kind: 'content', file, line, column, reason } });
  });

  test('a file that cannot be read says why', () => {
    const read = readSettings(folder);
    expect(read).toMatchObject({
      ok: false,
      error: { file: folder, line: 0, reason: expect.stringContaining('EISDIR') },
    });
  });

  test('any JSON that was broken has a place within the file', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.nat(), (value, at) => {
        const text = JSON.stringify({ value }, null, 1);
        const cut = text.slice(0, at % text.length);
        write(cut);
        const read = readSettings(file);
        if (read.ok) return cut.trim() === '';
        return read.error.line >= 1 && read.error.line <= cut.split('\n').length;
      }),
    );
  });
});

describe('writing', () => {
  test('creates folder and file, private', () => {
    const written = updateSettings(file, (settings) => ({ ...settings, provider: 'demo' }));
    expect(written).toEqual({ ok: true, settings: { provider: 'demo' } });
    expect([statSync(file).mode & 0o777, statSync(join(file, '..')).mode & 0o777]).toEqual([0o600, 0o700]);
  });

  test('keeps what it does not know', () => {
    write('{"theme":"dark","workspaces":{"/w":{"mood":"good"}}}');
    updateSettings(file, (settings) => ({ ...settings, model: 'm' }));
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
      theme: 'dark',
      workspaces: { '/w': { mood: 'good' } },
      model: 'm',
    });
  });

  test('does not touch a broken file', () => {
    write('{"theme":');
    expect(updateSettings(file, (settings) => settings)).toMatchObject({ ok: false, error: { line: 1 } });
    expect(readFileSync(file, 'utf8')).toBe('{"theme":');
  });

  test('says why it could not', () => {
    write('{}');
    const inFile = join(file, 'x', 'settings.json');
    expect(updateSettings(inFile, (settings) => settings)).toMatchObject({
      ok: false,
      error: { file: inFile },
    });
  });
});

describe('rights', () => {
  /** Root may read and write everything: then the test does it as nobody. */
  function asOrdinaryUser<T>(work: () => T): T {
    if (process.geteuid?.() !== 0) return work();
    process.seteuid?.(65_534);
    try {
      return work();
    } finally {
      process.seteuid?.(0);
    }
  }

  const failure = (outcome: SettingsWrite): string => (outcome.ok ? 'fine' : settingsFailure(outcome.error));
  const change = (): SettingsWrite => updateSettings(file, (settings) => ({ ...settings, model: 'm' }));

  test('that are missing are told, and not that the file is broken', () => {
    write('{}');
    chmodSync(folder, 0o755);
    chmodSync(file, 0o200);
    expect(failure(asOrdinaryUser(() => readSettings(file)))).toMatch(
      /^\S+settings\.json: cannot be read: EACCES.*\. You may not read it: see who owns .*\(ls -l\)\.$/,
    );
    chmodSync(file, 0o644);
    chmodSync(folder, 0o555);
    const unwritten = failure(asOrdinaryUser(change));
    chmodSync(folder, 0o755);
    expect(unwritten).toMatch(
      /^\S+settings\.json: cannot be written: .*EACCES.*\. Nothing was saved\. You may not write there: see who/,
    );
    expect(readFileSync(file, 'utf8')).toBe('{}');
  });

  test('of a file that its owner made read-only are left as they are, also by root', () => {
    write('{}');
    chmodSync(file, 0o400);
    expect(failure(change())).toBe(
      `${file}: the file is read only. Nothing was saved. Its owner protected it: chmod u+w lets it be changed again.`,
    );
    expect([readFileSync(file, 'utf8'), statSync(file).mode & 0o777]).toEqual(['{}', 0o400]);
    chmodSync(file, 0o600);
    expect(failure(change())).toBe('fine');
  });

  test('have nothing to do with a folder that is none', () => {
    write('{}');
    file = join(file, 'settings.json');
    expect(failure(change())).toMatch(/EEXIST.*\. Nothing was saved\. Try again when nothing is in the way/);
    file = folder;
    expect(failure(readSettings(file))).toMatch(/EISDIR.*\. Mend the file, or move it away/);
  });
});

test('changes of several processes at once all survive', async () => {
  const child = new URL('./settings-child.ts', import.meta.url).pathname;
  const names = ['a', 'b', 'c', 'd'];
  await Promise.all(names.map((name) => promisify(execFile)(process.execPath, [child, file, name, '20'])));
  const read = readSettings(file);
  if (!read.ok) throw new Error(read.error.reason);
  const folders = Object.keys(read.settings.workspaces ?? {});
  expect(folders.length).toBe(names.length * 20);
});

import { expect, test } from 'vitest';
import { codeRows } from '../../src/render/code.ts';
import {
  highlightRevision,
  languageName,
  loadLanguage,
  loadWantedLanguages,
  wantedLanguages,
} from '../../src/render/highlight.ts';
import { rowText, span } from '../../src/render/row.ts';

test('plain until the grammar is there, then coloured, with the same text', async () => {
  const code = 'const a = "x"; // y';
  expect(codeRows(code, 'ts', 40)).toEqual([{ spans: [span(code, 'code')], width: 19 }]);
  expect(wantedLanguages()).toEqual(['typescript']);
  const before = highlightRevision();
  expect(await loadWantedLanguages()).toBe(true);
  expect(highlightRevision()).toBe(before + 1);
  expect(wantedLanguages()).toEqual([]);
  expect(codeRows(code, 'ts', 40)).toEqual([
    {
      spans: [
        span('const', 'syntax-keyword'),
        span(' a = ', 'code'),
        span('"x"', 'syntax-string'),
        span('; ', 'code'),
        span('// y', 'syntax-comment'),
      ],
      width: 19,
    },
  ]);
});

test('a language without a grammar is plain and not asked for', async () => {
  expect(codeRows('x', 'klingon', 10)).toEqual([{ spans: [span('x', 'code')], width: 1 }]);
  expect(wantedLanguages()).toEqual([]);
  expect(await loadLanguage('klingon')).toBe(false);
  expect(languageName('constructor')).toBe(null);
});

test.each([
  'ts',
  'js',
  'json',
  'bash',
  'python',
  'go',
  'rust',
  'java',
  'c',
  'cpp',
  'css',
  'html',
  'xml',
  'yaml',
  'sql',
  'markdown',
  'diff',
  'ruby',
  'php',
  'kotlin',
  'swift',
  'toml',
  'dockerfile',
  'csharp',
])('%s loads and loses no text', async (language) => {
  expect(await loadLanguage(language)).toBe(true);
  const code = 'let a = { "b": <c> };\n\n# d "é漢" // 1\n';
  expect(codeRows(code, language, 80).map(rowText)).toEqual(code.split('\n'));
});

test('tabs, wide characters and long lines', () => {
  expect(codeRows('\ta\n漢字漢\n\nabcdef', null, 5).map(rowText)).toEqual([
    '    a',
    '漢字',
    '漢',
    '',
    'abcde',
    'f',
  ]);
  expect(codeRows('', 'ts', 5)).toEqual([]);
});

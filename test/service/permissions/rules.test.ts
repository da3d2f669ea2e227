import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PermissionAsk } from '../../../src/agent/runtime.ts';
import { isAllowed, isDenied, rulesFor } from '../../../src/service/permissions/rules.ts';
import { splitCommand } from '../../../src/service/permissions/shell.ts';
import { verdictOf } from '../../../src/service/permissions/verdict.ts';

const about = (kind: PermissionAsk['kind'], subject: string): PermissionAsk => ({
  call: 'c',
  toolName: kind === 'bash' ? 'bash' : 'edit',
  kind,
  subject,
  title: '',
  args: {},
});
const bash = (command: string): PermissionAsk => about('bash', command);
const RULES = ['bash: npm test', 'bash: npm run *'];

describe('commands in their parts', () => {
  test.each([
    ['npm   test', ['npm test']],
    ['a && b || c; d | e |& f & g\nh', ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']],
    ['a;', ['a']],
    ['a\n\n b \n', ['a', 'b']],
    [`echo "a && b" 'c | d' e\\;f`, [`echo "a && b" 'c | d' e\\;f`]],
    ['a 2>&1 >/dev/null </dev/null', ['a']],
    ['a &>/dev/null', ['a']],
    ['a > /dev/null && b', ['a', 'b']],
    ['echo "$HOME" $X', ['echo "$HOME" $X']],
    ['echo a#b', ['echo a#b']],
  ])('%j', (command, parts) => expect(splitCommand(command)).toEqual(parts));

  test.each([
    '',
    ' ',
    'a && ',
    '&& a',
    'a ;; b',
    'a $(b)',
    'a `b`',
    'a "$(b)"',
    'a "`b`"',
    'a $\u007bx:-$(b)}',
    `a $'x'`,
    '(a)',
    '{ a; }',
    'a <(b)',
    'a > file',
    'a >> file',
    'a > /dev/null/../x',
    'a > "/dev/null"',
    'a >| /dev/null',
    'a < file',
    'a << EOF\nx\nEOF',
    'a # comment',
    'if a; then b; fi',
    '! a',
    'time a',
    `a 'b`,
    'a "b',
    'a \\',
    'a \\\nb',
    'a\rb',
    'a\u00a0b',
    'a\u0000b',
    'f() { a; }',
    'a >& file',
  ])('%j is not understood', (command) => expect(splitCommand(command)).toBeNull());
});

describe('rules', () => {
  test.each([
    ['npm test', true],
    ['npm  test 2>&1', true],
    ['npm test -- --bail', false],
    ['npm run', false],
    ['npm run build', true],
    ['npm run build && npm test', true],
    ['npm run build; rm -rf /', false],
    ['npm run "a; b"', true],
    ['npm runx build', false],
    ['"npm" test', false],
    ['X=1 npm test', false],
    ['npm run $(rm x)', false],
  ])('%j allowed: %s', (command, expected) => expect(isAllowed(bash(command), RULES)).toBe(expected));

  test.each([
    ['rm -rf x', true],
    ['ls && rm x', true],
    ['bash -c "rm x"', true],
    ['X=1 sudo rm x', true],
    ['echo $(rm x)', true],
    ['if true; then rm x; fi', true],
    ['rm', true],
    ['rmdir x', false],
    ['ls', false],
  ])('%j denied: %s', (command, expected) =>
    expect(isDenied(bash(command), ['bash: rm *'], '/w')).toBe(expected),
  );

  test('paths and MCP tools', () => {
    const allow = [
      'write: /a/b.ts',
      'write: /d/*',
      'read: /r/*',
      'mcp: web/fetch',
      'mcp: db/*',
      'nonsense',
      'bash:',
    ];
    const ok = (kind: PermissionAsk['kind'], subject: string) => isAllowed(about(kind, subject), allow);
    expect([ok('write-outside', '/a/b.ts'), ok('write-outside', '/a/b.tsx')]).toEqual([true, false]);
    expect([ok('write-outside', '/d/e/f'), ok('write-outside', '/dx/e')]).toEqual([true, false]);
    expect([ok('read-outside', '/r/x'), ok('read-outside', '/d/e')]).toEqual([true, false]);
    expect([ok('mcp', 'web/fetch'), ok('mcp', 'web/post'), ok('mcp', 'db/query')]).toEqual([
      true,
      false,
      true,
    ]);
    expect(isAllowed({ ...about('bash', 'write .git/config'), toolName: 'edit' }, ['bash: *'])).toBe(false);
    expect(isDenied(about('write', '/w/secret/a'), ['write: /w/secret/*'], '/w')).toBe(true);
    const hook = { ...about('bash', 'write .git/hooks/x'), toolName: 'edit' };
    expect([isDenied(hook, ['write: /w/.git/*'], '/w'), isDenied(hook, ['bash: *'], '/w')]).toEqual([
      true,
      false,
    ]);
  });

  test('"always" writes what allows the same again, and nothing where that cannot be said', () => {
    expect(rulesFor(bash('npm run x | tee'), RULES)).toEqual(['bash: tee']);
    for (const command of ['rm *', 'ls $(x)', 'a > b', '*', '\\ '])
      expect(rulesFor(bash(command), [])).toEqual([]);
    expect(rulesFor(about('write-outside', '/a/*'), [])).toEqual([]);
    expect(rulesFor({ ...about('bash', 'write .git/config'), toolName: 'edit' }, [])).toEqual([]);
    fc.assert(
      fc.property(commands, (command) => {
        const rules = rulesFor(bash(command), []);
        if (rules.length > 0) expect(isAllowed(bash(command), rules)).toBe(true);
        for (const rule of rules) expect(rule.endsWith(' *')).toBe(false);
      }),
    );
  });

  test('forbidding beats the mode, plan mode beats what is allowed', () => {
    const base = {
      workspace: '/w',
      allow: RULES,
      deny: ['bash: npm test'],
      policy: { bash: true, writeOutside: true },
    };
    const verdict = (ask: PermissionAsk, mode: 'default' | 'plan' | 'bypassPermissions') =>
      verdictOf(ask, { ...base, mode, isOffered: () => false }).kind;
    expect(verdict(bash('npm test'), 'bypassPermissions')).toBe('deny');
    expect(verdict(bash('npm run x'), 'plan')).toBe('deny');
    expect(verdict(about('write', '/w/a'), 'plan')).toBe('deny');
    expect(verdict(about('read-outside', '/x'), 'plan')).toBe('allow');
  });

  test('that commands may run says nothing about servers: only a rule or a mode does', () => {
    const base = { workspace: '/w', deny: [], policy: { bash: true, writeOutside: true } };
    const verdict = (allow: readonly string[], mode: 'default' | 'bypassPermissions') =>
      verdictOf(about('mcp', 'mail/send'), { ...base, allow, mode, isOffered: () => false }).kind;
    expect([verdict([], 'default'), verdict(['mcp: mail/*'], 'default')]).toEqual(['ask', 'allow']);
    expect(verdict([], 'bypassPermissions')).toBe('allow');
  });
});

const token = fc.constantFrom(
  ...['npm', 'run', 'test', 'npm test', 'npm run x', 'evil', ' ', '  ', ';', '&', '&&', '|', '||', '\n', '"'],
  ...[
    "'",
    '\\',
    '$',
    '(',
    ')',
    '{',
    '}',
    '`',
    '<',
    '>',
    '2',
    '&1',
    '/dev/null',
    '#',
    '*',
    '=',
    '!',
    '$(evil)',
  ],
);
const commands = fc.array(token, { minLength: 1, maxLength: 12 }).map((tokens) => tokens.join(''));

describe('whatever is allowed runs nothing else', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'mt-rules-'));
    for (const name of ['npm', 'evil']) {
      writeFileSync(join(folder, name), name === 'evil' ? `#!/bin/sh\n: > ${folder}/ran\n` : '#!/bin/sh\n');
      chmodSync(join(folder, name), 0o700);
    }
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('with a part between separators that no rule names', () => {
    const good = fc.constantFrom('npm test', 'npm run a', 'npm run "b;c"');
    const separator = fc.constantFrom('&&', '||', ';', '|', '|&', '&', '\n', ' ; ', ' && ');
    fc.assert(
      fc.property(fc.array(good, { maxLength: 3 }), separator, separator, (parts, first, second) => {
        for (let at = 0; at <= parts.length; at += 1) {
          const mixed = [...parts.slice(0, at), 'evil', ...parts.slice(at)];
          expect(isAllowed(bash(mixed.join(first)), RULES)).toBe(false);
          expect(isAllowed(bash(`npm test${first}npm test${second}evil`), RULES)).toBe(false);
        }
      }),
    );
  });

  test('as a real shell sees it', () => {
    const run = (command: string): boolean => {
      const options = { cwd: folder, env: { PATH: folder }, stdio: 'ignore', timeout: 5_000 } as const;
      spawnSync('/bin/bash', ['--norc', '--noprofile', '-c', command], options);
      return existsSync(join(folder, 'ran'));
    };
    expect(run('npm test; evil')).toBe(true);
    rmSync(join(folder, 'ran'));
    fc.assert(
      fc.property(fc.constantFrom('npm test', 'npm run ', 'npm run a'), commands, (start, rest) => {
        const command = start + rest;
        fc.pre(isAllowed(bash(command), RULES));
        expect(run(command), command).toBe(false);
      }),
      { numRuns: 150, maxSkipsPerRun: 1_000 },
    );
  });
});

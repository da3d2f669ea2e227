import { expect, test } from 'vitest';
import type { PermissionAsk } from '../../../src/agent/runtime.ts';
import { plainPermit, plainRights } from '../../../src/service/permissions/plain.ts';

const BASH = 'magi-term config set allow.bash true';
const OUTSIDE = 'magi-term config set allow.writeOutside true';
const { signal } = new AbortController();

function ask(kind: PermissionAsk['kind'], toolName: string, subject: string): PermissionAsk {
  return { call: 'c1', kind, toolName, subject, title: subject.replace(/^write /u, ''), args: {} };
}

test.each([
  [
    'bash',
    'bash',
    'git status',
    'bash is not allowed in this workspace. Allow it: ',
    BASH,
    'commands may not',
  ],
  [
    'bash',
    'write',
    'write .git/config',
    'write to .git is not allowed: its hooks can run commands. Allow it with bash: ',
    BASH,
    'Not allowed: .git/config belongs to git',
  ],
  [
    'read-outside',
    'read',
    '/a',
    'read outside the workspace is not allowed. Allow it: ',
    OUTSIDE,
    '/a is outside',
  ],
  [
    'write-outside',
    'edit',
    '/a',
    'write outside the workspace is not allowed. Allow it: ',
    OUTSIDE,
    '/a is outside',
  ],
] as const)(
  '%s by %s is refused with the way to allow it',
  async (kind, tool, subject, notice, how, told) => {
    const closed = plainPermit({ bash: false, writeOutside: false });
    expect(await closed(ask(kind, tool, subject), signal)).toEqual({
      allowed: false,
      notice: notice + how,
      output: expect.stringMatching(new RegExp(`${told}.*${how}$`, 'u')),
    });
    const open = plainPermit({ bash: how === BASH, writeOutside: how === OUTSIDE });
    expect(await open(ask(kind, tool, subject), signal)).toEqual({ allowed: true, by: 'mode' });
  },
);

test('tools of MCP servers are allowed by rules alone: what they do may leave this machine', async () => {
  const open = plainPermit({ bash: true, writeOutside: true });
  expect(await open(ask('mcp', 'mcp_files_read', 'files/read'), signal)).toEqual({
    allowed: false,
    notice: expect.stringContaining('a rule such as "mcp: server/tool" in the settings'),
    output: expect.stringContaining('MCP server'),
  });
});

test('changes of the workspace are allowed', async () => {
  const closed = plainPermit({ bash: false, writeOutside: false });
  expect(await closed(ask('write', 'write', '/w/a'), signal)).toEqual({ allowed: true, by: 'mode' });
});

test('the model is told what it may do', () => {
  expect(plainRights({ bash: false, writeOutside: false })).toMatch(
    /is closed\.\n- bash is switched off here/u,
  );
  expect(plainRights({ bash: true, writeOutside: true })).toMatch(
    /also work outside.*\n- bash runs commands/u,
  );
});

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createAgentRuntime } from '../../src/agent/create-runtime.ts';
import { bashTool } from '../../src/agent/tools/bash.ts';
import {
  APIS,
  eventsOf,
  eventually,
  isAlive,
  modelServer,
  ofType,
  permitting,
  providerAt,
  runTool,
  tempFolder,
  turnRequest,
} from './support.ts';

test.each([
  ['echo out; echo err >&2', { status: 'ok', output: 'out\nerr\n', exitCode: 0 }],
  ['exit 3', { status: 'error', output: '[Exit code 3.]', exitCode: 3 }],
  ['true', { status: 'ok', output: '[No output.]' }],
  ['cat', { status: 'ok', output: '[No output.]' }],
  ['kill -9 $$', { status: 'error', output: '[Ended by a signal.]' }],
  ['basename "$PWD" | tr -d 0-9A-Za-z_', { status: 'ok', output: '-\n' }],
])('%s', async (command, expected) => {
  expect(await runTool(bashTool, await tempFolder(), { command })).toMatchObject(expected);
});

test('keeps the head and the tail of a long output', async () => {
  const command = 'echo first; yes filler | head -n 100000; echo last';
  const result = await runTool(bashTool, await tempFolder(), { command });
  expect(result.status).toBe('ok');
  expect(result.outputBytes).toBe(700_011);
  expect(Buffer.byteLength(result.output)).toBeLessThan(49 * 1024);
  expect(result.output).toMatch(/^first\nfiller[\s\S]+\[… \d+ bytes left out …\][\s\S]+filler\nlast\n$/u);
});

test('stops a command at its time limit', async () => {
  const result = await runTool(bashTool, await tempFolder(), { command: 'echo a; sleep 60', timeout: 1 });
  expect(result).toMatchObject({ status: 'error', timedOut: true, output: 'a\n[Stopped after 1 s.]' });
});

test('leaves nothing in the background', async () => {
  const command = 'sleep 60 & echo $!; (sleep 60 >/dev/null 2>&1 & echo $!)';
  const result = await runTool(bashTool, await tempFolder(), { command });
  expect(result.output).toMatch(/\[Processes left in the background were stopped\.\]$/u);
  for (const pid of result.output.match(/^\d+$/gmu) ?? []) await expectGone(pid);
});

test('a command that ignores SIGTERM is killed', async () => {
  const folder = await tempFolder();
  const command = "trap '' TERM; echo $$ > pid; while true; do sleep 0.05; done";
  const result = await runTool(bashTool, folder, { command, timeout: 1 });
  expect(result.timedOut).toBe(true);
  await expectGone(await readFile(join(folder, 'pid'), 'utf8'));
});

test('does not start when the turn is already cancelled', async () => {
  const signal = AbortSignal.abort();
  const result = await runTool(bashTool, await tempFolder(), { command: 'touch x' }, { signal });
  expect(result).toMatchObject({ status: 'cancelled' });
});

describe.each(APIS)('over %s', (api) => {
  test('an abort ends a command and everything that it started', async () => {
    const folder = await tempFolder();
    const server = await modelServer({
      script: () => [{ toolCall: 'bash', args: { command: 'sleep 60 & echo $! $$ > pids; wait' } }],
    });
    const turn = createAgentRuntime().startTurn(
      turnRequest(folder, {
        provider: providerAt(server.url, api),
        permit: permitting('bash'),
      }),
    );
    const events = eventsOf(turn);
    const pids = await eventually(async () => {
      const text = await readFile(join(folder, 'pids'), 'utf8');
      expect(text).toMatch(/\n$/u);
      return text.trim().split(' ');
    });
    turn.abort();
    const all = await events;
    expect(ofType(all, 'tool-end')).toMatchObject([{ status: 'cancelled', timedOut: false }]);
    expect(all.at(-1)).toEqual({ type: 'end', status: 'cancelled' });
    expect(server.requests).toHaveLength(1);
    for (const pid of pids) await expectGone(pid);
  });
});

async function expectGone(pid: string): Promise<void> {
  await eventually(async () => {
    const status = await readFile(`/proc/${pid.trim()}/status`, 'utf8').catch(() => '');
    expect(isAlive(status)).toBe(false);
  });
}

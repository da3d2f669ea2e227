/** The whole output of a tool: kept while it comes, read by ranges (PROTOCOL.md, "Session profile"). */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createAgentRuntime } from '../../../src/agent/create-runtime.ts';
import type { AgentRuntime, TurnRequest } from '../../../src/agent/runtime.ts';
import { silentLog } from '../../../src/service/log.ts';
import { ToolOutputs } from '../../../src/service/profile/tool-outputs.ts';
import { startModelServer } from '../../support/model-server.ts';
import { hold, op, type Rec, ScriptedAgent, start, startWorld } from '../harness.ts';

const write = vi.hoisted(() => ({ room: Number.POSITIVE_INFINITY }));
vi.mock('node:fs', async (load) => {
  const fs = await load<typeof import('node:fs')>();
  /** A disk with so much room. */
  const writeSync = (descriptor: number, bytes: Buffer | string, ...rest: number[]): number => {
    if (typeof bytes === 'string') return fs.writeSync(descriptor, bytes, rest[0]);
    const [offset = 0, length = bytes.length, position] = rest;
    if (write.room === 0) throw Object.assign(new Error('no space'), { code: 'ENOSPC' });
    const count = fs.writeSync(descriptor, bytes, offset, Math.min(length, write.room), position);
    write.room -= count;
    return count;
  };
  return { ...fs, writeSync };
});

const MIB = 1_024 * 1_024;

function store() {
  write.room = Number.POSITIVE_INFINITY;
  const folder = mkdtempSync(join(tmpdir(), 'outputs-'));
  onTestFinished(() => {
    write.room = Number.POSITIVE_INFINITY;
    rmSync(folder, { recursive: true, force: true });
  });
  const warnings: string[] = [];
  const log = { ...silentLog, warn: (text: string) => void warnings.push(text) };
  const outputs = new ToolOutputs((id) => join(folder, `${id}.jsonl`), log);
  /** Everything that can be read, page by page. */
  const whole = (call: string): string => {
    let text = '';
    for (let offset: number | null = 0; offset !== null; ) {
      const range = outputs.read('s', call, { offset, limit: 12_288 });
      if (range === null) throw new Error('nothing is kept');
      text += range.text;
      offset = range.next_offset;
    }
    return text;
  };
  return { outputs, folder, warnings, whole };
}

test('what is longer than an envelope can be read while it comes, split characters whole', () => {
  const { folder, outputs, whole } = store();
  const keeper = outputs.keeper('s', 'c');
  const said = 'a€😀"\n'.repeat(5_000);
  const bytes = Buffer.from(said);
  for (let at = 0; at < bytes.length; at += 997) {
    keeper.add(bytes.subarray(at, at + 997));
    expect(existsSync(join(folder, 's.tools'))).toBe(at + 997 > 12_288 + 3);
  }
  expect(said.startsWith(whole('c'))).toBe(true);
  keeper.close();
  expect(whole('c')).toBe(said);
  expect(outputs.read('s', 'c', { offset: 1, limit: 3 })).toEqual({
    offset: 1,
    text: '€',
    next_offset: 4,
    total_bytes: bytes.length,
  });
  const kept = join(folder, 's.tools');
  const [file = ''] = readdirSync(kept);
  expect([statSync(kept).mode & 0o777, statSync(join(kept, file)).mode & 0o777]).toEqual([0o700, 0o600]);
});

test('what fits an envelope leaves no file, and what the model was given does not replace more', () => {
  const { folder, outputs, warnings, whole } = store();
  const short = outputs.keeper('s', 'short');
  short.add(Buffer.alloc(12_288, 'x'));
  short.close();
  expect(existsSync(join(folder, 's.tools'))).toBe(false);
  const long = outputs.keeper('s', 'long');
  long.add(Buffer.alloc(60_000, 'x'));
  long.close();
  outputs.keep('s', 'long', `${'x'.repeat(40_000)}\n[Exit code 1.]`);
  expect(whole('long')).toBe('x'.repeat(60_000));
  expect(warnings).toEqual([]);
});

test('no more than 16 MiB is kept, and a note says what is missing', () => {
  const { outputs, whole } = store();
  const keeper = outputs.keeper('s', 'c');
  const chunk = Buffer.from(`${'é'.repeat(32_000)}x`);
  const count = Math.ceil((20 * MIB) / chunk.length);
  for (let index = 0; index < count; index += 1) keeper.add(chunk);
  keeper.close();
  const text = whole('c');
  const [, kept = '', lost] = /^([\s\S]*)\n\[… (\d+) bytes were not kept …\]\n$/.exec(text) ?? [];
  expect(Buffer.byteLength(kept)).toBeGreaterThan(16 * MIB - 2);
  expect(Buffer.byteLength(kept)).toBeLessThanOrEqual(16 * MIB);
  expect(Buffer.byteLength(kept) + Number(lost)).toBe(count * chunk.length);
  expect(chunk.toString().repeat(count).startsWith(kept)).toBe(true);
});

test('bytes that are no text become text that can be read on', () => {
  const { outputs, whole } = store();
  const keeper = outputs.keeper('s', 'c');
  keeper.add(Buffer.alloc(20_000, 0xff));
  keeper.close();
  expect(whole('c')).toBe('\ufffd'.repeat(20_000));
});

test('a full disk keeps what found room, in whole characters, and says so once', () => {
  const { outputs, warnings, whole } = store();
  write.room = 30_001;
  const keeper = outputs.keeper('s', 'c');
  for (let index = 0; index < 10; index += 1) keeper.add(Buffer.from('é'.repeat(5_000)));
  keeper.close();
  expect(whole('c')).toBe(`${'é'.repeat(15_000)}\n[… 70000 bytes were not kept …]\n`);
  expect(warnings).toEqual(['the output of a tool was not kept']);
});

test('without any room, or without a folder, there is no file and nothing ends', () => {
  const { folder, outputs, warnings } = store();
  write.room = 0;
  const none = outputs.keeper('s', 'none');
  none.add(Buffer.alloc(20_000, 'x'));
  none.close();
  expect(outputs.read('s', 'none', { offset: 0, limit: 1 })).toBeNull();
  writeFileSync(join(folder, 't.tools'), '');
  const nowhere = outputs.keeper('t', 'c');
  nowhere.add(Buffer.alloc(20_000, 'x'));
  nowhere.add(Buffer.alloc(20_000, 'x'));
  nowhere.close();
  expect(warnings).toHaveLength(2);
});

test('a file that is in its place already is left as it is', () => {
  const { folder, outputs } = store();
  mkdirSync(join(folder, 's.tools'));
  outputs.keep('s', 'c', 'y'.repeat(20_000));
  const keeper = outputs.keeper('s', 'c');
  keeper.add(Buffer.alloc(20_000, 'x'));
  keeper.close();
  expect(outputs.read('s', 'c', { offset: 0, limit: 4 })?.text).toBe('yyyy');
});

test('a command that prints much: the service tells its true size, and gives all of it', async () => {
  const lines = 40_000;
  const model = await startModelServer({
    script: ({ toolResults }) =>
      toolResults.length > 0
        ? [{ text: 'done' }]
        : [{ toolCall: 'bash', args: { command: `seq 1 ${lines}; echo end >&2` } }],
  });
  class RealAgent extends ScriptedAgent {
    readonly #real: AgentRuntime = createAgentRuntime();
    override startTurn(request: TurnRequest): ReturnType<ScriptedAgent['startTurn']> {
      const baseUrl = `${model.url}/v1`;
      const provider = { api: 'openai-completions', id: 's', label: 'S', baseUrl, apiKey: 'k' } as const;
      const { abort, events, steer } = this.#real.startTurn({ ...request, provider, modelId: 'scripted-1' });
      return {
        abort,
        steer,
        events: (async function* () {
          yield* events;
        })(),
      };
    }
  }
  const world = await startWorld({ agent: new RealAgent() });
  onTestFinished(async () => {
    await world.close();
    await model.close();
  });
  const client = await world.profileClient();
  const held = await hold(client);
  const slots = { operation_id: op(), session_id: held.session, control: held.control };
  await client.ask('session.configure', { permission_mode: 'bypassPermissions' }, slots);
  await start(client, held, 'print');
  const ended = await client.event('session.envelope', (p) => p.envelope.ev.t === 'tool-call-end');
  const { envelope } = ended.payload;
  const said = `${Array.from({ length: lines }, (_, index) => `${index + 1}\n`).join('')}end\n`;
  expect(envelope.ev).toMatchObject({ status: 'ok', outputBytes: said.length });
  let text = '';
  for (let offset: number | null = 0; offset !== null; ) {
    const asked = { call: envelope.ev.call, offset, limit: 12_288 };
    const range: Rec = (await client.ask('tool.output', asked, { session_id: held.session })).payload;
    expect(range.total_bytes).toBe(said.length);
    text += range.text;
    offset = range.next_offset;
  }
  expect(text).toBe(said);
});

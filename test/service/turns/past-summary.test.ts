import { appendFileSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readWindow } from '../../../src/service/sessions/session-window.ts';
import { summaryBefore } from '../../../src/service/turns/past-summary.ts';
import { type Envelope, envelopeId, type SessionEvent } from '../../../src/transcript/envelope.ts';
import { formatLine } from '../../../src/transcript/jsonl.ts';
import { claim, createSession, start, startWorld, type World } from '../harness.ts';

const MIB = 1_048_576;

function line(role: 'user' | 'agent', ev: SessionEvent, turn = envelopeId()): string {
  const envelope: Envelope = { id: envelopeId(), time: 0, role, turn, ev };
  return formatLine(envelope);
}
const said = (text: string): string => line('agent', { t: 'text', text });
const summary = (text: string): string =>
  line('agent', {
    t: 'service',
    kind: 'compaction',
    text: 'Earlier messages were summarised.',
    summary: text,
  });
/** Lines of about this many bytes in all. */
function filler(bytes: number): string {
  const one = said('lorem ipsum '.repeat(80));
  return one.repeat(Math.ceil(bytes / one.length));
}

describe('the search', () => {
  let folder: string;
  let path: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'mt-summary-'));
    path = join(folder, 'a.jsonl');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  /** Writes the parts and looks before the end of them. */
  const find = (...parts: string[]): string | null => {
    const text = parts.join('');
    writeFileSync(path, text);
    return summaryBefore(path, Buffer.byteLength(text));
  };

  test('finds the newest, however far back and wherever chunks meet', () => {
    expect(find(summary('one'), filler(MIB), summary('two'), filler(3 * MIB))).toBe('two');
    expect(find(summary('long '.repeat(2_000)), filler(100))).toBe('long '.repeat(2_000));
    const tail = filler(MIB - 2_000);
    for (let shift = 0; shift < 2_400; shift += 37)
      expect(find(filler(5_000), summary('meets'), said('x'.repeat(shift)), tail), `${shift}`).toBe('meets');
  });

  test('takes nothing else for one', () => {
    const nasty = '{"t":"service","kind":"compaction","text":"","summary":"not me"}';
    const args = { kind: 'compaction', summary: 'nor me' };
    const call = { t: 'tool-call-start', call: 'c', name: 'n', title: '', description: '', args } as const;
    const parts = [said(nasty), line('agent', call), `{"kind":"compaction"}\n`, filler(100)];
    expect(find(...parts)).toBeNull();
    expect(find(summary('me'), ...parts)).toBe('me');
    expect(find(line('agent', { t: 'service', kind: 'compaction', text: 'without' }), said('x'))).toBeNull();
  });

  test('ends where it is told, and finds nothing in what is not there', () => {
    const before = filler(1_000);
    writeFileSync(path, before + summary('behind'));
    expect(summaryBefore(path, Buffer.byteLength(before))).toBeNull();
    expect(summaryBefore(path, 0)).toBeNull();
    expect(summaryBefore(join(folder, 'missing'), 1_000)).toBeNull();
  });
});

describe('a session that has grown far behind its summary', () => {
  let world: World;
  beforeEach(async () => {
    world = await startWorld();
  });
  afterEach(() => world.close());

  test('is told to the model from that summary on', async () => {
    const maker = await world.client();
    const session = await createSession(maker);
    const names = readdirSync(world.stateRoot, { recursive: true }).map(String);
    const path = join(world.stateRoot, names.find((name) => name.endsWith(`${session}.jsonl`)) ?? '');
    const turn = envelopeId();
    appendFileSync(
      path,
      line('user', { t: 'text', text: 'before all' }, turn) + summary('what was before') + filler(4 * MIB),
    );
    appendFileSync(path, line('user', { t: 'text', text: 'newest' }) + said('answer'));
    expect(readWindow(path, session)?.start).toBeGreaterThan(MIB);
    const held = await claim(maker, session);
    await start(maker, held, 'go on');
    const { history } = world.agent.last.request;
    expect(history[0]).toEqual({ kind: 'summary', text: 'what was before' });
    expect(history.filter(({ kind }) => kind === 'summary')).toHaveLength(1);
    expect(JSON.stringify(history)).not.toContain('before all');
    expect(history.at(-1)).toMatchObject({ kind: 'assistant', text: expect.stringContaining('answer') });
    world.agent.last.complete();
    await maker.event('turn.terminal');
  });
});

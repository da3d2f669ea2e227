/**
 * A client that stops reading while its turn streams fast: after the write timeout it is dropped, the turn goes on to
 * its end, others notice nothing, and memory stays bounded. One that reads on in time gets every word.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { VERSION } from '../../src/platform/version.ts';
import { LIMITS } from '../../src/wire/limits.ts';
import { SESSION_PROTOCOL } from '../../src/wire/session-protocol.ts';
import { hold, start, WireClient } from '../service/harness.ts';
import { answeredBy } from '../support/app.ts';
import { type ModelScript, type ModelServer, startModelServer } from '../support/model-server.ts';
import { Guest } from './guest.ts';
import { kindOf, textOf } from './loss.ts';
import { report } from './report.ts';
import { ServiceHome, type ServiceProcess } from './service-home.ts';

const MOST_MEGABYTES = 256;
/** Beyond the write timeout: a busy machine takes a while to fill what lies between the two. */
const SLACK_MS = 10_000;
const MOST_TURN_MS = 5_000;

const numbers = (count: number): string => Array.from({ length: count }, (_, index) => `${index} `).join('');
/** As much as an ordinary client may be told, in the smallest pieces. */
const SHORT = numbers(3_000);
const LONG = numbers(400_000);
const script: ModelScript = ({ lastUser }) => {
  if (lastUser === 'short') return [...SHORT].map((text) => ({ text }));
  return [{ text: lastUser === 'long' ? LONG : 'Hello.' }];
};

let model: ModelServer;
let home: ServiceHome;
let service: ServiceProcess;
const readers: WireClient[] = [];
beforeEach(async () => {
  model = await startModelServer({ script, chunkChars: 500 });
  home = new ServiceHome({ settings: answeredBy(model.url) });
  service = await home.start();
});
afterEach(async () => {
  for (const { socket } of readers.splice(0)) socket.destroy();
  await home.dispose();
  await model.close();
});

const KINDS = [
  { kind: 'ordinary', capabilities: [], prompt: 'short', said: SHORT },
  { kind: 'session profile', capabilities: [SESSION_PROTOCOL], prompt: 'long', said: LONG },
];

/** A socket with a turn that runs, and nobody who reads. */
async function deafReader(
  capabilities: readonly string[],
  prompt: string,
): Promise<{ reader: WireClient; session: string }> {
  const reader = new WireClient(home.endpoint.socket);
  readers.push(reader);
  reader.send({ version: VERSION, workspace: home.workspace, state_root: home.state, action: 'connect' });
  await reader.initialize(capabilities);
  const held = await hold(reader);
  await start(reader, held, prompt);
  reader.socket.pause();
  return { reader, session: held.session };
}

describe.each(KINDS)('a client ($kind) that stops reading', ({ capabilities, kind, prompt, said }) => {
  it('is dropped, and nothing else suffers', async () => {
    const other = await Guest.enter(home);
    await other.turn('hello');
    const before = service.megabytes();
    service.forgetPeak();
    const begun = performance.now();
    const { session } = await deafReader(capabilities, prompt);
    let slowest = 0;
    let dropped = 0;
    while (dropped === 0) {
      const from = performance.now();
      expect(await other.turn('hello')).toMatchObject({ status: 'completed' });
      slowest = Math.max(slowest, performance.now() - from);
      const { connected_clients } = await other.connection.request('status', {});
      if (connected_clients === 1) dropped = performance.now() - begun;
      expect(performance.now() - begun).toBeLessThan(LIMITS.write_timeout_ms + SLACK_MS);
    }
    while ((await other.connection.request('session.active', {})).sessions.length > 1) await sleep(20);
    const peak = service.megabytes('VmHWM');
    const later = await Guest.enter(home, session);
    const { placed } = await later.history();
    const texts = placed.filter(({ envelope }) => envelope.role === 'agent' && kindOf(envelope) === 'text');
    expect(texts.map(({ envelope }) => textOf(envelope)).join('') === said).toBe(true);
    expect(placed.filter(({ envelope }) => kindOf(envelope) === 'turn-end')).toMatchObject([
      { envelope: { ev: { status: 'completed' } } },
    ]);
    expect(slowest).toBeLessThan(MOST_TURN_MS);
    expect(peak - before).toBeLessThan(MOST_MEGABYTES);
    report(
      `a client (${kind}) stops reading for good`,
      `dropped after ${Math.round(dropped)} ms, its turn completed with all of ${said.length} letters, slowest turn of another ${Math.round(slowest)} ms, resident ${before} MB before, ${peak} MB at the peak`,
    );
  });

  it('and reads on in time gets every word', async () => {
    const { reader } = await deafReader(capabilities, prompt);
    await sleep(LIMITS.write_timeout_ms / 2);
    reader.socket.resume();
    const terminal = await reader.event('turn.terminal');
    expect(terminal.payload).toMatchObject({ status: 'completed', error: null });
    const texts = reader.events.map(({ event, payload }): string => {
      if (kind === 'ordinary') return event === 'turn.assistant_delta' ? payload.text : '';
      const isAnswer = event === 'session.envelope' && payload.envelope.role === 'agent';
      return (isAnswer ? textOf(payload.envelope) : null) ?? '';
    });
    expect(texts.join('') === said).toBe(true);
    const records = reader.events.length;
    report(
      `a client (${kind}) stops reading for 2.5 s`,
      `kept, all of ${said.length} letters in ${records} records`,
    );
  });
});

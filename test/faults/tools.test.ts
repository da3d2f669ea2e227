/** Tools that go wild: one prints without end, another does not listen. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { WireEnvelope } from '../../src/wire/session-protocol.ts';
import { answeredBy } from '../support/app.ts';
import { type ModelScript, type ModelServer, startModelServer } from '../support/model-server.ts';
import { Guest } from './guest.ts';
import { kindOf } from './loss.ts';
import { report } from './report.ts';
import { ServiceHome, type ServiceProcess } from './service-home.ts';

const FLOOD_BYTES = 500_000_000;
const MOST_MEGABYTES = 128;
/** SIGTERM, two seconds, SIGKILL, and what a busy machine takes. */
const MOST_STOP_MS = 6_000;
const STUBBORN = "trap '' TERM; echo $$ > group; sleep 1000 & while :; do sleep 1; done";

const COMMANDS: Readonly<Record<string, Record<string, unknown>>> = {
  flood: { command: `yes | head -c ${FLOOD_BYTES}` },
  stubborn: { command: STUBBORN },
  'stubborn for a second': { command: STUBBORN, timeout: 1 },
};
const script: ModelScript = ({ lastUser, toolResults: [result] }) => {
  const args = COMMANDS[lastUser];
  if (args === undefined || result !== undefined)
    return [{ text: `Went on after ${result?.length ?? 0} letters.` }];
  return [{ toolCall: 'bash', args }];
};

let model: ModelServer;
let home: ServiceHome;
let service: ServiceProcess;
let guest: Guest;
beforeEach(async () => {
  model = await startModelServer({ script });
  home = new ServiceHome({ settings: answeredBy(model.url) });
  service = await home.start();
  guest = await Guest.trusted(home);
});
afterEach(async () => {
  await home.dispose();
  await model.close();
});

const toolEnd = (): Promise<WireEnvelope> =>
  guest.until(
    (event) =>
      event.type === 'envelope' && kindOf(event.envelope) === 'tool-call-end' ? event.envelope : null,
    'the end of the tool',
  );

/** The process group that the command has told. */
async function groupOf(): Promise<number> {
  const file = join(home.workspace, 'group');
  while (!existsSync(file) || readFileSync(file, 'utf8') === '') await sleep(10);
  return Number(readFileSync(file, 'utf8'));
}

/** Living processes of a group. */
function membersOf(group: number): string[] {
  return readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      const [state, , memberOf] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return memberOf === String(group) && state !== 'Z';
    } catch {
      return false;
    }
  });
}

describe('a tool', () => {
  it('prints 500 MB: its output and the memory are bounded, the turn goes on', async () => {
    expect(await guest.turn('warm up')).toMatchObject({ status: 'completed' });
    const before = service.megabytes();
    service.forgetPeak();
    const terminal = await guest.turn('flood');
    const peak = service.megabytes('VmHWM');
    expect(terminal).toMatchObject({
      status: 'completed',
      assistant_text: /^Went on after \d{5} letters\.$/,
    });
    const { ev } = await toolEnd();
    expect(ev).toMatchObject({ status: 'ok', outputBytes: FLOOD_BYTES });
    expect(JSON.stringify(ev).length).toBeLessThan(24_576);
    expect(peak - before).toBeLessThan(MOST_MEGABYTES);
    report(
      'a tool prints 500 MB',
      `bounded, the turn goes on; resident ${before} MB before, ${peak} MB at the peak`,
    );
  });

  it.each(['cancelled', 'timed out'])(
    'ignores SIGTERM and is %s: nothing of its group is left',
    async (how) => {
      const turn = await guest.start(how === 'cancelled' ? 'stubborn' : 'stubborn for a second');
      const group = await groupOf();
      expect(membersOf(group).length).toBeGreaterThan(1);
      const begun = performance.now();
      if (how === 'cancelled') await guest.session.cancelTurn(turn);
      const status = how === 'cancelled' ? 'cancelled' : 'completed';
      expect(await guest.terminalOf(turn)).toMatchObject({ status });
      const ms = Math.round(performance.now() - begun);
      expect(membersOf(group)).toEqual([]);
      expect(ms).toBeLessThan(MOST_STOP_MS);
      expect(await guest.turn('next')).toMatchObject({ status: 'completed' });
      report(`a tool ignores SIGTERM (${how})`, `the turn ended after ${ms} ms, its process group is gone`);
    },
  );

  it('ignores SIGTERM while the service is killed: nothing of its group is left', async () => {
    await guest.start('stubborn');
    const group = await groupOf();
    expect(membersOf(group).length).toBeGreaterThan(1);
    const begun = performance.now();
    process.kill(service.pid, 'SIGKILL');
    while (membersOf(group).length > 0) await sleep(5);
    const ms = Math.round(performance.now() - begun);
    report(
      'kill -9 of the service with a tool that ignores SIGTERM',
      `its process group is gone after ${ms} ms`,
    );
  });
});

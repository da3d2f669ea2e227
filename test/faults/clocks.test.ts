/**
 * Somebody sets the clock of the machine. Ages (outcomes of operations, last terminals, idleness) are told by a clock
 * that never jumps; only dates come from the one on the wall. The service runs in this process: nothing here can
 * move the clock of another one.
 */
import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/service/clock.ts';
import {
  claim,
  createSession,
  hold,
  op,
  start,
  startWorld,
  type WireClient,
  type World,
} from '../service/harness.ts';
import { ManualClock } from '../service/manual-clock.ts';
import { report } from './report.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

let world: World;
afterEach(() => world.close());

async function withClock(): Promise<{ clock: ManualClock; client: WireClient }> {
  const clock = new ManualClock();
  world = await startWorld({ clock, timing: { idleShutdownMs: MINUTE, startupGraceMs: 10_000 } });
  world.agent.script = (turn) => turn.complete();
  return { clock, client: await world.client() };
}

describe('the clock is set', () => {
  it.each([
    ['forward', DAY],
    ['back', -DAY],
  ])('%s: outcomes are told for ten minutes and known for twenty', async (where, jump) => {
    const { client, clock } = await withClock();
    const operation_id = op();
    const create = async () => (await client.ask('session.create', {}, { operation_id })).error?.code ?? null;
    const state = async () =>
      (await client.ask('operation.lookup', { target_instance_id: client.instanceId, operation_id })).payload
        .state;
    expect(await create()).toBeNull();
    clock.jump(jump);
    expect([await create(), await state()]).toEqual(['operation_already_known', 'terminal']);
    clock.advance(10 * MINUTE - 1);
    expect([await create(), await state()]).toEqual(['operation_already_known', 'terminal']);
    clock.advance(1);
    expect([await create(), await state()]).toEqual(['operation_expired', 'expired']);
    clock.advance(10 * MINUTE);
    expect(await state()).toBe('unknown');
    report(`clock set a day ${where}`, 'outcomes and tombstones neither early nor late');
  });

  it.each([DAY, -DAY])('by %d ms: the last terminal is kept for ten minutes', async (jump) => {
    const { client, clock } = await withClock();
    const held = await hold(client);
    await start(client, held, 'Go');
    await client.event('turn.terminal');
    const slots = { operation_id: op(), session_id: held.session, control: held.control };
    await client.ask('session.detach', {}, slots);
    clock.jump(jump);
    clock.advance(10 * MINUTE - 1);
    const again = await claim(client, held.session);
    expect(again.claim.snapshot.terminal).not.toBeNull();
    await client.ask('session.detach', {}, { ...slots, operation_id: op(), control: again.control });
    clock.advance(1);
    expect((await claim(client, held.session)).claim.snapshot.terminal).toBeNull();
  });

  it.each([DAY, -DAY])('by %d ms: an idle service ends after a minute', async (jump) => {
    const { client, clock } = await withClock();
    await createSession(client);
    let isOver = false;
    void world.service.done.then(() => {
      isOver = true;
    });
    clock.jump(jump);
    client.socket.destroy();
    const late = world.hello('stop', { action: 'status' });
    await late.untilClosed();
    clock.advance(MINUTE - 1);
    await new Promise((resolve) => setImmediate(resolve));
    expect(isOver).toBe(false);
    clock.advance(1);
    await world.service.done;
  });
});

it('the clock of a real service does not follow the one on the wall', async () => {
  await withClock();
  const real = Date.now;
  try {
    const before = systemClock.elapsed();
    Date.now = () => real() + DAY;
    expect(systemClock.elapsed() - before).toBeLessThan(MINUTE);
    expect(systemClock.now() - real()).toBeGreaterThan(DAY - MINUTE);
  } finally {
    Date.now = real;
  }
});

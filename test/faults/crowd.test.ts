/** As many clients and sockets as there is room for, and one more of each (PROTOCOL.md, "Handshake"). */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { VERSION } from '../../src/platform/version.ts';
import { MAX_SOCKETS } from '../../src/service/bounds.ts';
import { LIMITS } from '../../src/wire/limits.ts';
import { WireClient } from '../service/harness.ts';
import { answeredBy } from '../support/app.ts';
import { type ModelServer, startModelServer } from '../support/model-server.ts';
import { Guest } from './guest.ts';
import { report } from './report.ts';
import { ServiceHome } from './service-home.ts';

let model: ModelServer;
let home: ServiceHome;
const sockets: WireClient[] = [];
beforeEach(async () => {
  model = await startModelServer({ script: ({ lastUser }) => [{ text: `Heard ${lastUser}.`.repeat(20) }] });
  home = new ServiceHome({ settings: answeredBy(model.url) });
  await home.start();
});
afterEach(async () => {
  for (const { socket } of sockets.splice(0)) socket.destroy();
  await home.dispose();
  await model.close();
});

function rawSocket(action?: 'connect' | 'status'): WireClient {
  const socket = new WireClient(home.endpoint.socket);
  sockets.push(socket);
  if (action !== undefined)
    socket.send({ version: VERSION, workspace: home.workspace, state_root: home.state, action });
  return socket;
}

const full = (): Promise<Guest[]> =>
  Promise.all(Array.from({ length: LIMITS.max_connections }, () => Guest.enter(home)));

describe('a crowd', () => {
  it('of clients: all are served at once, one more is sent away after the greeting', async () => {
    const guests = await full();
    const turns = await Promise.all(guests.map((guest, index) => guest.turn(`guest ${index}`)));
    expect(turns.map(({ assistant_text }) => assistant_text)).toEqual(
      guests.map((_, index) => `Heard guest ${index}.`.repeat(20)),
    );
    const late = rawSocket('connect');
    await late.untilClosed();
    expect(late.records).toMatchObject([{ status: 'ready' }]);
    guests[0]?.leave();
    const status = async () => (await guests[1]?.connection.request('status', {}))?.connected_clients;
    while ((await status()) !== LIMITS.max_connections - 1) expect(guests[1]?.ended).toBeNull();
    const next = await Guest.enter(home);
    expect(await next.turn('next')).toMatchObject({ status: 'completed' });
    report(
      '16 clients with a turn each, and one more',
      'all completed; the 17th got "ready" and was closed; a freed place was taken',
    );
  });

  it('of sockets: one more is closed unheard, and silent ones make room', async () => {
    const guests = await full();
    const silent = Array.from({ length: MAX_SOCKETS - guests.length }, () => rawSocket());
    await Promise.all(silent.map(({ socket }) => new Promise((resolve) => socket.once('connect', resolve))));
    const begun = performance.now();
    const late = rawSocket('status');
    await late.untilClosed();
    expect(late.records).toEqual([]);
    expect(await guests[0]?.turn('still there')).toMatchObject({ status: 'completed' });
    await Promise.all(silent.map((socket) => socket.untilClosed()));
    const ms = Math.round(performance.now() - begun);
    expect(ms).toBeLessThan(LIMITS.handshake_timeout_ms + 2_000);
    expect(silent.flatMap(({ records }) => records)).toEqual([]);
    const again = rawSocket('status');
    await again.untilClosed();
    expect(again.records).toMatchObject([{ status: 'ready' }]);
    expect(guests.filter(({ ended }) => ended !== null)).toEqual([]);
    report(
      '32 sockets, and one more',
      `the 33rd was closed unheard; silent ones were closed within ${ms} ms, then there was room`,
    );
  });
});

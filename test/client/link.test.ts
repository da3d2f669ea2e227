/** One connection kept alive: pauses, refusals, the second look (FC-19; PROTOCOL.md, "Handshake"). */
import { afterEach, describe, expect, test } from 'vitest';
import { type Connection, openConnection } from '../../src/client/connection.ts';
import { type LocalCode, localFailure, refusal } from '../../src/client/failure.ts';
import { type LinkStatus, type Schedule, ServiceLink } from '../../src/client/link.ts';
import { ScriptedService } from '../support/scripted-service.ts';
import { LIST, until } from './helpers.ts';

/** A clock that runs when a test says so. */
class Clock {
  #pending: { run: () => void; ms: number }[] = [];
  readonly schedule: Schedule = (run, ms) => {
    const entry = { run, ms };
    this.#pending.push(entry);
    return () => {
      this.#pending = this.#pending.filter((other) => other !== entry);
    };
  };

  get waiting(): number[] {
    return this.#pending.map(({ ms }) => ms);
  }

  runNext(): void {
    this.#pending.shift()?.run();
  }
}

const settle = () => new Promise(setImmediate);
const shown = (status: LinkStatus): string => {
  switch (status.kind) {
    case 'lost':
      return `lost ${status.reason.code} ${status.attempt} ${status.retryInMs}`;
    case 'refused':
      return `refused ${status.failure.code}`;
    default:
      return status.kind;
  }
};

/** A link whose pauses end only when the clock is told so; `seen` is every status in words. */
function linkOver(dial: () => Promise<Connection>): { link: ServiceLink; clock: Clock; seen: string[] } {
  const clock = new Clock();
  const seen: string[] = [];
  const link = new ServiceLink(dial, { schedule: clock.schedule, jitter: (ms) => ms });
  link.subscribe((status) => seen.push(shown(status)));
  return { link, clock, seen };
}

describe('pauses', () => {
  test('grow to five seconds and stay there', async () => {
    const { link, clock, seen } = linkOver(() => Promise.reject(localFailure('endpoint_stale')));
    const pauses: (number | undefined)[] = [];
    for (let index = 0; index < 9; index += 1) {
      await settle();
      pauses.push(clock.waiting[0]);
      clock.runNext();
    }
    expect(pauses).toEqual([0, 100, 250, 500, 1_000, 2_000, 5_000, 5_000, 5_000]);
    expect(seen.slice(0, 5)).toEqual([
      'connecting',
      'lost endpoint_stale 1 0',
      'connecting',
      'lost endpoint_stale 2 100',
      'connecting',
    ]);
    link.close();
  });

  test('end at once when the user asks', async () => {
    const { link, clock, seen } = linkOver(() => Promise.reject(localFailure('endpoint_absent')));
    await settle();
    link.retryNow();
    link.retryNow();
    await settle();
    expect(clock.waiting).toEqual([100]);
    expect(seen).toEqual([
      'connecting',
      'lost endpoint_absent 1 0',
      'connecting',
      'lost endpoint_absent 2 100',
    ]);
    link.close();
    expect(clock.waiting).toEqual([]);
  });

  test('no two clients retry in step by default', async () => {
    const clock = new Clock();
    const link = new ServiceLink(() => Promise.reject(localFailure('endpoint_absent')), {
      schedule: clock.schedule,
    });
    for (let index = 0; index < 6; index += 1) {
      await settle();
      clock.runNext();
    }
    await settle();
    const [pause = 0] = clock.waiting;
    expect(pause).toBeGreaterThanOrEqual(2_500);
    expect(pause).toBeLessThanOrEqual(5_000);
    link.close();
  });
});

describe('refusals', () => {
  test.each<LocalCode>([
    'version_mismatch',
    'preflight_refused',
    'endpoint_unsafe',
    'endpoint_not_socket',
    'endpoint_path_too_long',
    'protocol_violation',
  ])('%s waits for the user', async (code) => {
    let healed = false;
    const { link, clock, seen } = linkOver(() =>
      Promise.reject(localFailure(healed ? 'endpoint_absent' : code)),
    );
    await settle();
    expect([link.status.kind, clock.waiting]).toEqual(['refused', []]);
    healed = true;
    link.retryNow();
    await settle();
    expect(seen).toEqual(['connecting', `refused ${code}`, 'connecting', 'lost endpoint_absent 1 0']);
    link.close();
  });

  test('a refused capability is final, an unexpected error is not', async () => {
    const refused = linkOver(() => Promise.reject(refusal({ code: 'unsupported_capability' })));
    const broken = linkOver(() => Promise.reject(new Error('a fault')));
    await settle();
    expect([refused.seen.at(-1), broken.seen.at(-1)]).toEqual([
      'refused unsupported_capability',
      'lost unexpected 1 0',
    ]);
    refused.link.close();
    broken.link.close();
  });
});

describe('over a real socket', () => {
  const services: ScriptedService[] = [];
  afterEach(async () => {
    for (const service of services.splice(0)) {
      await service.stop();
      expect(service.errors).toEqual([]);
    }
  });

  test('comes back after every end, and a connection that held begins anew', async () => {
    const service = await ScriptedService.start(async (peer) => {
      await peer.welcome();
      const request = await peer.expect('session.list');
      peer.answer(request, LIST);
      await peer.expect('session.create');
      peer.closeInside({ much: 'cut off' });
    });
    services.push(service);
    const { link, clock, seen } = linkOver(() => openConnection(service.options));
    for (let round = 0; round < 3; round += 1) {
      await until(() => link.status.kind === 'ready');
      if (link.status.kind !== 'ready') throw new Error('not ready');
      const { connection } = link.status;
      expect(await connection.request('session.list', {})).toEqual(LIST);
      // Only the last connection is left alone for so long that it counts as healthy.
      if (round === 2) clock.runNext();
      const outcome = await connection.request('session.create', {}).catch((error: unknown) => error);
      expect(outcome).toMatchObject({ code: 'link_lost', uncertain: true });
      await until(() => link.status.kind === 'lost');
      clock.runNext();
    }
    expect(seen.filter((line) => line.startsWith('lost'))).toEqual([
      'lost endpoint_closed 1 0',
      'lost endpoint_closed 2 100',
      'lost endpoint_closed 1 0',
    ]);
    link.close();
  });

  test('a service that breaks the protocol again and again is left alone until the user asks', async () => {
    const service = await ScriptedService.start(async (peer) => {
      await peer.welcome();
      peer.sendBytes('no record\n');
      await peer.gone();
    });
    services.push(service);
    const { link, clock, seen } = linkOver(() => openConnection(service.options));
    for (let round = 1; round <= 2; round += 1) {
      await until(() => seen.includes(`lost protocol_violation ${round} ${round === 1 ? 0 : 100}`));
      clock.runNext();
    }
    await until(() => link.status.kind === 'refused');
    expect([seen.at(-1), clock.waiting]).toEqual(['refused protocol_violation', []]);
    link.close();
  });

  test('a service that goes away and comes again is found again', async () => {
    const service = await ScriptedService.start((peer) => peer.welcome());
    services.push(service);
    const { link, clock, seen } = linkOver(() => openConnection(service.options));
    await until(() => link.status.kind === 'ready');
    await service.stopListening();
    await until(() => link.status.kind === 'lost');
    clock.runNext();
    await until(() => seen.includes('lost endpoint_absent 2 100'));
    await service.listen();
    clock.runNext();
    await until(() => link.status.kind === 'ready');
    link.close();
    await until(() => service.peers.every((peer) => !peer.isOpen));
  });

  test('closing while dialling closes what comes of it', async () => {
    const service = await ScriptedService.start((peer) => peer.welcome());
    services.push(service);
    const { link, seen } = linkOver(() => openConnection(service.options));
    link.close();
    await until(() => service.peers.length === 1 && service.peers.every((peer) => !peer.isOpen));
    expect(seen).toEqual(['connecting']);
  });
});

/** From the moment a service drops a healthy client in mid-turn until its text stands again, against opening a connection. */
import { openConnection } from '../../src/client/connection.ts';
import { ServiceLink } from '../../src/client/link.ts';
import { Conversation } from '../../src/store/conversation.ts';
import { NOTHING_KEPT } from '../../src/store/keeper.ts';
import { INITIAL, type State } from '../../src/store/state.ts';
import { Store } from '../../src/store/store.ts';
import { FastService } from '../support/fast-service.ts';
import { TRACE_IDENTITY } from '../support/traces.ts';
import { median, pause, rounded, timed } from './measure.ts';

const ROUNDS = 15;

export async function recover(): Promise<Readonly<Record<string, number>>> {
  const opening: number[] = [];
  const recovering: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const service = await FastService.start({
      identity: TRACE_IDENTITY,
      deltas: 600,
      everyMs: 2,
      dropAfter: 45,
    });
    opening.push(await timed(async () => (await openConnection(service.options)).close()));
    recovering.push(await timeOfFirstRecovery(service));
    await service.stop();
  }
  return {
    rounds: ROUNDS,
    open_ms: rounded(median(opening)),
    recover_ms: rounded(median(recovering)),
    recover_worst_ms: rounded(Math.max(...recovering)),
    recover_to_open: rounded(median(recovering) / median(opening)),
  };
}

async function timeOfFirstRecovery(service: FastService): Promise<number> {
  const store = new Store<State>(INITIAL, (run) => run());
  const link = new ServiceLink(() => openConnection(service.options));
  const conversation = new Conversation({
    store,
    link,
    keeper: { load: () => NOTHING_KEPT, save: () => null },
    now: Date.now,
    newId: () => crypto.randomUUID(),
    newOperationId: () => crypto.randomUUID(),
    later: () => () => undefined,
    target: 'new',
  });
  const recovered = Promise.withResolvers<number>();
  store.subscribe(() => {
    if ((store.getState().live?.relinks ?? 0) > 0) recovered.resolve(performance.now());
  });
  while (store.getState().link.kind !== 'ready') await pause(1);
  conversation.send('go');
  const at = await recovered.promise;
  const [first] = service.recoveries;
  await conversation.close();
  return at - (first?.droppedAt ?? Number.NaN);
}

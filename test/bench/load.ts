/** As many clients as the service takes, each with a turn that streams 200 deltas a second: what the service costs, and what arrives when. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { LIMITS } from '../../src/wire/limits.ts';
import { Guest } from '../faults/guest.ts';
import { heardOf, lossOf } from '../faults/loss.ts';
import { ServiceHome } from '../faults/service-home.ts';
import { answeredBy } from '../support/app.ts';
import { LoadEar } from './load-ear.ts';
import { type LoadModelOptions, WARM_UP } from './load-model.ts';
import { processorSeconds, rounded } from './measure.ts';

const CLIENTS = LIMITS.max_connections;
const DELTAS_PER_SECOND = 200;
const DEFAULT_SECONDS = 10;

/** @param flags `--seconds N` */
export async function load(flags: readonly string[]): Promise<Readonly<Record<string, number>>> {
  const at = flags.indexOf('--seconds');
  const seconds = at === -1 ? DEFAULT_SECONDS : Number(flags[at + 1]);
  const workerData: LoadModelOptions = { deltas: seconds * DELTAS_PER_SECOND, perSecond: DELTAS_PER_SECOND };
  const model = new Worker(new URL('load-model.ts', import.meta.url), { workerData });
  const [port] = await once(model, 'message');
  const home = new ServiceHome({ settings: answeredBy(`http://127.0.0.1:${port}`) });
  try {
    const service = await home.start();
    const guests = await Promise.all(Array.from({ length: CLIENTS }, () => Guest.enter(home)));
    await Promise.all(guests.map((guest) => guest.turn(WARM_UP)));
    const ears = guests.map(({ session }) => {
      const ear = new LoadEar();
      session.onEvent((event) => ear.hear(event));
      return ear;
    });
    const before = { cpu: processorSeconds(service.pid), wall: performance.now() };
    const terminals = await Promise.all(guests.map((guest) => guest.turn('go')));
    const wall = (performance.now() - before.wall) / 1_000;
    const cpu = processorSeconds(service.pid) - before.cpu;
    const resident = service.megabytes();
    const envelopes = await Promise.all(guests.map(envelopesOf));
    const latencies = ears.flatMap((ear) => ear.latencies).sort((left, right) => left - right);
    const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
    const deltas = sum(ears.map((ear) => ear.count));
    return {
      clients: CLIENTS,
      seconds: rounded(wall),
      turns_completed: terminals.filter(({ status }) => status === 'completed').length,
      deltas,
      deltas_lost: CLIENTS * workerData.deltas - deltas,
      deltas_wrong: sum(ears.map((ear) => ear.wrong)),
      delta_records: sum(ears.map((ear) => ear.records)),
      deltas_per_second: Math.round(deltas / wall),
      envelopes: sum(envelopes.map(({ told }) => told)),
      envelopes_lost: sum(envelopes.map(({ lost }) => lost)),
      service_cores: rounded(cpu / wall),
      service_rss_mb: resident,
      service_peak_rss_mb: service.megabytes('VmHWM'),
      latency_p50_ms: percentile(latencies, 0.5),
      latency_p99_ms: percentile(latencies, 0.99),
      latency_worst_ms: percentile(latencies, 1),
    };
  } finally {
    await home.dispose();
    await model.terminate();
  }
}

/** How many envelopes a client was told, and how many of the file it was not, or otherwise. */
async function envelopesOf(guest: Guest): Promise<{ told: number; lost: number }> {
  const heard = heardOf(guest.events);
  const { placed } = await guest.history();
  const first = placed.findIndex(({ cursor }) => cursor === heard.placed[0]?.cursor);
  const untold = placed.length - Math.max(0, first) - heard.placed.length;
  return { told: heard.placed.length, lost: lossOf(heard, placed).length + Math.abs(untold) };
}

/** In ms, of sorted microseconds. */
function percentile(sorted: readonly number[], part: number): number {
  const at = Math.min(sorted.length - 1, Math.floor(sorted.length * part));
  return rounded((sorted[at] ?? Number.NaN) / 1_000);
}

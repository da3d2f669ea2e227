/** What a service costs while nothing happens: fresh, and after a turn with a client that stays. */
import { readFileSync } from 'node:fs';
import { Guest } from '../faults/guest.ts';
import { ServiceHome, type ServiceProcess } from '../faults/service-home.ts';
import { answeredBy } from '../support/app.ts';
import { startModelServer } from '../support/model-server.ts';
import { pause, processorSeconds, rounded } from './measure.ts';

const SETTLE_SECONDS = 15;
const SECONDS = 10;

export async function memory(): Promise<Readonly<Record<string, number>>> {
  const model = await startModelServer({ script: () => [{ text: 'Hello.' }] });
  const homes = [0, 1].map(() => new ServiceHome({ settings: answeredBy(model.url) }));
  const [alone, visited] = homes;
  try {
    if (alone === undefined || visited === undefined) throw new Error('no homes');
    const fresh = await alone.start();
    const used = await visited.start();
    const guest = await Guest.enter(visited);
    await guest.turn('hello');
    await pause(SETTLE_SECONDS * 1_000);
    const [ofFresh, ofUsed] = await Promise.all([figures('fresh', fresh), figures('used', used)]);
    guest.leave();
    return { seconds: SECONDS, ...ofFresh, ...ofUsed };
  } finally {
    for (const home of homes) await home.dispose();
    await model.close();
  }
}

async function figures(name: string, { pid }: ServiceProcess): Promise<Readonly<Record<string, number>>> {
  const before = { wakes: field(pid, 'status', 'voluntary_ctxt_switches'), cpu: processorSeconds(pid) };
  await pause(SECONDS * 1_000);
  const wakes = field(pid, 'status', 'voluntary_ctxt_switches') - before.wakes;
  return {
    [`${name}_rss_mb`]: megabytes(field(pid, 'smaps_rollup', 'Rss')),
    [`${name}_pss_mb`]: megabytes(field(pid, 'smaps_rollup', 'Pss')),
    [`${name}_private_mb`]: megabytes(field(pid, 'smaps_rollup', 'Private_Dirty')),
    [`${name}_wakes_per_second`]: rounded(wakes / SECONDS),
    [`${name}_cores`]: rounded((processorSeconds(pid) - before.cpu) / SECONDS),
  };
}

/** A number of a file in /proc. Of the main thread where threads are counted apart. */
function field(pid: number, file: 'status' | 'smaps_rollup', name: string): number {
  const text = readFileSync(`/proc/${pid}/${file}`, 'utf8');
  return Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1]);
}

function megabytes(kilobytes: number): number {
  return rounded(kilobytes / 1_024);
}

/** Processor time of the client while an answer streams at 200 deltas a second. */
import { AppHome, answeredBy } from '../support/app.ts';
import { startModelServer } from '../support/model-server.ts';
import { processorSeconds, rounded } from './measure.ts';

const DELTAS_PER_SECOND = 200;
const SECONDS = 10;

export async function stream(): Promise<Readonly<Record<string, number>>> {
  const words = Array.from({ length: DELTAS_PER_SECOND * SECONDS }, (_, index) =>
    index % 12 === 11 ? 'end.\n\n' : `w${index} `,
  );
  const server = await startModelServer({
    script: () => words.map((text) => ({ text, delayMs: 1000 / DELTAS_PER_SECOND })),
  });
  const home = new AppHome({ settings: answeredBy(server.url) });
  try {
    const program = home.start({ cols: 120, rows: 40 });
    await program.waitFor('ready');
    await program.type('go');
    program.press('enter');
    await program.waitFor('w1 ', { timeoutMs: 20_000 });
    const before = { cpu: processorSeconds(program.pid), wall: performance.now(), bytes: program.mark() };
    await program.waitFor(`w${words.length - 2} `, { timeoutMs: SECONDS * 4000 });
    const wall = (performance.now() - before.wall) / 1000;
    const cpu = processorSeconds(program.pid) - before.cpu;
    return {
      wall_seconds: rounded(wall),
      deltas_per_second: rounded(words.length / wall),
      client_cpu_seconds: rounded(cpu),
      client_cores: rounded(cpu / wall),
      terminal_bytes_per_second: Math.round(program.bytesSince(before.bytes).length / wall),
    };
  } finally {
    await home.dispose();
    await server.close();
  }
}

/** What the client costs while nothing happens. */
import { AppHome } from '../support/app.ts';
import { pause, processorSeconds, rounded } from './measure.ts';

const SECONDS = 10;

export async function idle(): Promise<Readonly<Record<string, number>>> {
  const home = new AppHome({ settings: { provider: 'demo', model: 'demo-1' } });
  try {
    const program = home.start({ cols: 120, rows: 40 });
    await program.waitFor('ready');
    await program.waitForQuiet(1000);
    const before = { cpu: processorSeconds(program.pid), bytes: program.mark() };
    await pause(SECONDS * 1000);
    return {
      seconds: SECONDS,
      bytes_written: program.bytesSince(before.bytes).length,
      client_cores: rounded((processorSeconds(program.pid) - before.cpu) / SECONDS),
    };
  } finally {
    await home.dispose();
  }
}

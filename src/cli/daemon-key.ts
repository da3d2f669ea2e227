/** `key set`: a key for the embedded service's own store. It never crosses the wire. */
import { readMaskedLine } from '../platform/masked-line.ts';
import { sanitiseLine } from '../render/sanitise.ts';
import { AuthStore } from '../service/auth/auth-store.ts';
import { EXIT, type GlobalFlags, placeOf } from './flags.ts';

/** Reads the key without showing it and saves it. Returns the exit code, 130 when it was broken off. */
export async function keySet(flags: GlobalFlags, provider: string): Promise<number> {
  const { stateRoot } = placeOf(flags);
  const name = sanitiseLine(provider);
  const line = await readMaskedLine(process.stdin, () => {
    if (process.stdin.isTTY) process.stderr.write(`Key for ${name} (it is not shown), then Enter: `);
  });
  if (process.stdin.isTTY) process.stderr.write('\n');
  const key = line?.trim() ?? '';
  if (key === '') {
    process.stderr.write('magi-term: no key was given; nothing has changed.\n');
    return line === null ? EXIT.cancelled : EXIT.usage;
  }
  const change = await new AuthStore(stateRoot).setKey(provider, key);
  if (!change.ok) {
    process.stderr.write(`magi-term: the key was not saved: ${change.reason}\n`);
    return EXIT.failed;
  }
  process.stdout.write(`${change.had ? 'Replaced' : 'Saved'} the key for ${name}.\n`);
  return EXIT.ok;
}

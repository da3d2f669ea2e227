/**
 * `key set`: a key for the embedded service's own store. It never crosses the wire.
 * Invariant: nothing is saved that no provider could use.
 */
import { readMaskedLine } from '../platform/masked-line.ts';
import { sanitiseLine } from '../render/sanitise.ts';
import { AuthStore } from '../service/auth/auth-store.ts';
import { knownProviders } from './daemon-providers.ts';
import { EXIT, type GlobalFlags, placeOf, UsageError } from './flags.ts';
import { providerNamed, whyNoKey } from './provider-names.ts';

/**
 * Reads the key without showing it and saves it. Returns the exit code, 130 when it was broken off.
 * @throws UsageError for a provider that does not exist or takes no key, Error when the settings cannot be used
 */
export async function keySet(flags: GlobalFlags, asked: string): Promise<number> {
  const place = placeOf(flags);
  const provider = providerNamed(asked, knownProviders(place));
  const refusal = whyNoKey(provider);
  if (refusal !== null) throw new UsageError(refusal);
  const name = sanitiseLine(provider.id);
  const line = await readMaskedLine(process.stdin, () => {
    if (process.stdin.isTTY) process.stderr.write(`Key for ${name} (it is not shown), then Enter: `);
  });
  if (process.stdin.isTTY) process.stderr.write('\n');
  const key = line?.trim() ?? '';
  if (key === '') {
    process.stderr.write('magi-term: no key was given; nothing has changed.\n');
    return line === null ? EXIT.cancelled : EXIT.usage;
  }
  const change = await new AuthStore(place.stateRoot).setKey(provider.id, key);
  if (!change.ok) {
    process.stderr.write(`magi-term: the key was not saved: ${change.reason}\n`);
    return EXIT.failed;
  }
  process.stdout.write(`${change.had ? 'Replaced' : 'Saved'} the key for ${name}.\n`);
  if (provider.hasKeyOutside)
    process.stderr.write(
      'A key is set in this environment, too: a service that is started here takes that one first.\n',
    );
  return EXIT.ok;
}

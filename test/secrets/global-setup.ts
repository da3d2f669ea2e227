/** Of every suite: gives the run its ledger, and ends it with the search. What is found fails the run. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LEDGER_VARIABLE } from './ledger.ts';
import { searchLedger } from './search.ts';

const MOST_SHOWN = 20;

/** @returns what ends the run */
export default function setup(): () => void {
  const ledger = mkdtempSync(join(tmpdir(), 'magi-term-secrets-'));
  process.env[LEDGER_VARIABLE] = ledger;
  return () => {
    const before = performance.now();
    try {
      const { bytes, files, finds, secrets } = searchLedger(ledger);
      const seconds = ((performance.now() - before) / 1_000).toFixed(1);
      const what = `${count(secrets)} made-up secrets in ${count(files)} files, ${(bytes / 1e6).toFixed(1)} MB, ${seconds} s`;
      console.log(
        `Search for secrets: ${what}: ${finds.length === 0 ? 'none found' : `${finds.length} found`}.`,
      );
      if (finds.length > 0) throw new Error(`Secrets were found:\n${finds.slice(0, MOST_SHOWN).join('\n')}`);
    } finally {
      rmSync(ledger, { recursive: true, force: true });
    }
  };
}

function count(value: number): string {
  return value.toLocaleString('en');
}

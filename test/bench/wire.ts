/** Strict decoding of captured records against bare JSON.parse on the same bytes. */
import { readdirSync } from 'node:fs';
import { decodeRecord } from '../../src/client/decode.ts';
import { parseStrict } from '../../src/wire/json.ts';
import { readTrace } from '../support/traces.ts';
import { median, rounded } from './measure.ts';

const RECORDS = 50_000;
const ROUNDS = 7;

export async function wire(): Promise<Readonly<Record<string, number>>> {
  const records = captured();
  const bytes = records.reduce((sum, record) => sum + record.length, 0);
  const bare: number[] = [];
  const strict: number[] = [];
  const decoded: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    bare.push(timeOf(records, (record) => JSON.parse(record.toString('utf8'))));
    strict.push(timeOf(records, parseStrict));
    decoded.push(timeOf(records, decodeRecord));
  }
  const seconds = median(decoded) / 1000;
  return {
    records: RECORDS,
    bytes,
    json_parse_ms: rounded(median(bare)),
    strict_ms: rounded(median(strict)),
    decode_record_ms: rounded(median(decoded)),
    strict_to_json_parse: rounded(median(strict) / median(bare)),
    decode_record_to_json_parse: rounded(median(decoded) / median(bare)),
    records_per_second: Math.round(RECORDS / seconds),
    megabytes_per_second: rounded(bytes / seconds / 1_000_000),
  };
}

/** What a service sent in the traces, over and over. */
function captured(): readonly Buffer[] {
  const names = readdirSync(new URL('../fixtures/traces', import.meta.url)).toSorted();
  const sent = names.flatMap((name) =>
    readTrace(name.replace('.jsonl', '')).flatMap(({ dir, record }) =>
      dir === 's2c' && 'kind' in record ? [Buffer.from(JSON.stringify(record))] : [],
    ),
  );
  return Array.from({ length: RECORDS }, (_, index) => sent[index % sent.length] ?? Buffer.alloc(0));
}

function timeOf(records: readonly Buffer[], decode: (record: Buffer) => unknown): number {
  const start = performance.now();
  for (const record of records) decode(record);
  return performance.now() - start;
}

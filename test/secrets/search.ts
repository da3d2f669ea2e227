/**
 * The search at the end of a run (PROTOCOL.md, "Authentication"): everything that tests have left is held against every
 * secret that they have made up.
 * Two things may be where they are: what a store of credentials holds, which is a secret itself wherever else it is
 * found; and the address of a sign-in with its state, in what people were shown.
 */
import { chmodSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import * as z from 'zod';
import { PARTS, type Secret, type SecretKind, SHORTEST } from './ledger.ts';
import { type Find, Needles } from './needles.ts';

export interface Report {
  readonly secrets: number;
  readonly files: number;
  readonly bytes: number;
  /** One line for each, without the secret. */
  readonly finds: readonly string[];
}

/** People must see it to sign in. */
const SHOWN: readonly SecretKind[] = ['address', 'state'];
const STORE = /(?:^|\/)auth\/auth\.json$/;
/** What tears a text on a screen apart: sequences, blanks, and what rows are framed with. */
const BETWEEN =
  /\u001b\[[\u0030-\u003f]*[\u0020-\u002f]*[\u0040-\u007e]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[\s\u0000-\u001f\u2500-\u259f]/g;

const secretLine = z.object({ kind: z.custom<SecretKind>(), value: z.string() });
const storeFile = z.looseObject({ providers: z.record(z.string(), z.record(z.string(), z.unknown())) });
const STORED: Readonly<Record<string, SecretKind>> = {
  access: 'access token',
  refresh: 'refresh token',
  account_id: 'account',
  key: 'key',
};

export function searchLedger(ledger: string): Report {
  const kept = filesUnder(join(ledger, PARTS.kept));
  const stores = kept.filter((path) => STORE.test(path));
  const secrets = distinct([...registered(join(ledger, PARTS.secrets)), ...stores.flatMap(storedIn)]);
  const needles = new Needles(secrets);
  const finds: string[] = [];
  let files = 0;
  let bytes = 0;
  const search = (path: string, pass: (content: Buffer) => Find[]): void => {
    const content = readFileSync(path);
    files += 1;
    bytes += content.length;
    for (const { at, form, secret } of pass(content))
      finds.push(`${secret.kind} (${form}) at byte ${at} of ${relative(ledger, path)}`);
  };
  for (const path of kept) if (!STORE.test(path)) search(path, (content) => needles.find(content));
  for (const path of filesUnder(join(ledger, PARTS.shown)))
    search(path, (content) => {
      const joined = Buffer.from(content.toString('utf8').replace(BETWEEN, ''));
      const found = [...needles.find(content), ...needles.find(joined)];
      return found.filter(({ secret }) => !SHOWN.includes(secret.kind));
    });
  return { secrets: secrets.length, files, bytes, finds };
}

/** Regular files only; what tests have closed is opened again. */
function filesUnder(folder: string): string[] {
  if (!existsSync(folder)) return [];
  chmodSync(folder, 0o700);
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return filesUnder(path);
    if (!entry.isFile()) return [];
    chmodSync(path, 0o600);
    return [path];
  });
}

function registered(folder: string): Secret[] {
  return filesUnder(folder).flatMap((path) =>
    readFileSync(path, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => secretLine.parse(JSON.parse(line))),
  );
}

/** Nothing, where a test has broken the store. */
function storedIn(path: string): Secret[] {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return [];
  }
  const parsed = storeFile.safeParse(value);
  if (!parsed.success) return [];
  return Object.values(parsed.data.providers).flatMap((record) =>
    Object.entries(STORED).flatMap(([name, kind]) => {
      const stored = record[name];
      return typeof stored === 'string' && stored.length >= SHORTEST ? [{ kind, value: stored }] : [];
    }),
  );
}

function distinct(secrets: readonly Secret[]): Secret[] {
  return [...new Map(secrets.map((secret) => [secret.value, secret])).values()];
}

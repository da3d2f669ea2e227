/** Every case of signing in, with what it comes to; the table is printed at the end. */
import { afterAll, describe, expect, test } from 'vitest';
import { OWN } from './login-cases-own.ts';
import { SHARED } from './login-cases-shared.ts';
import { playEmbedded, playMagiCode } from './login-services.ts';
import { isSame, type Line, loginTable } from './login-table.ts';
import { DAEMON_VERSION } from './terms.ts';

const lines: Line[] = [];
afterAll(() => {
  console.log(
    `\nSigning in, the embedded service and magi-code ${DAEMON_VERSION}:\n\n${loginTable(lines)}\n`,
  );
});

describe('with both services', () => {
  test.each(SHARED)('$name', async ({ around = {}, embedded: expected, magiCode, name, play }) => {
    const [embedded, outcome] = await Promise.all([playEmbedded(around, play), playMagiCode(around, play)]);
    lines.push({ name, embedded, magiCode: { kind: 'played', outcome, because: magiCode?.because ?? '?' } });
    expect(embedded).toEqual(expected);
    expect(outcome).toEqual(magiCode?.comesTo ?? expected);
    expect(isSame(embedded, outcome)).toBe(magiCode === undefined);
  });
});

describe('with the embedded service', () => {
  test.each(OWN)('$name', async ({ around = {}, embedded: expected, name, needs, play }) => {
    const embedded = await playEmbedded(around, play);
    lines.push({ name, embedded, magiCode: { kind: 'needs', what: needs } });
    expect(embedded).toEqual(expected);
  });
});

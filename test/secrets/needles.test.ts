/** The forms in which a secret is found, wherever it stands. */
import { expect, test } from 'vitest';
import type { Secret } from './ledger.ts';
import { Needles } from './needles.ts';

const secret: Secret = { kind: 'code', value: 'code_0123/456+789ab cdef' };
const others: Secret[] = Array.from({ length: 500 }, (_, index) => ({
  kind: 'access token',
  value: `eyJhbGciOiJSUzI1NiJ9.${index}.same-end-of-all`,
}));
const needles = new Needles([secret, ...others]);
const found = (text: string) =>
  needles.find(Buffer.from(text)).map(({ form, secret: { kind } }) => `${kind} ${form}`);

test.each([
  ['plain', secret.value],
  ['URL-encoded', encodeURIComponent(secret.value)],
  ['form-encoded', new URLSearchParams({ code: secret.value }).toString()],
  ['JSON', JSON.stringify(secret.value).replaceAll('/', '\\/')],
  ...['', 'a', 'ab', 'abc'].flatMap((before) =>
    (['base64', 'base64url'] as const).map((form): [string, string] => [
      form,
      Buffer.from(`${before}${secret.value} and more`).toString(form),
    ]),
  ),
])('%s: %s', (form, text) => {
  for (const around of [text, `"${text}"`, `${'x'.repeat(3_000)}${text}${'y'.repeat(10)}`])
    expect(found(around).some((one) => one.startsWith('code '))).toBe(true);
  expect(found(text)).toContainEqual(expect.stringContaining(form.slice(0, 4)));
});

test('among many that begin and end alike, the right one', () => {
  const [one] = needles.find(Buffer.from(`token=${others[321]?.value}`));
  expect(one).toMatchObject({ secret: others[321], at: 6 });
});

test('nothing where there is nothing, or not all of it', () => {
  expect(found('')).toEqual([]);
  expect(found(secret.value.slice(0, -1))).toEqual([]);
  expect(found('code_0123/456+789ab cdeg '.repeat(50))).toEqual([]);
});

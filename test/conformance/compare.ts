/** All places at which two outcomes differ. */
import type { Json } from '../../src/wire/json.ts';
import type { Difference } from './script.ts';
import { isArray } from './values.ts';

export type Found = Required<Omit<Difference, 'row'>>;

export const ABSENT = '<absent>';

export function compare(real: Json, ours: Json, at = ''): Found[] {
  if (real === ours) return [];
  if (isArray(real) && isArray(ours))
    return members(at, real.length, ours.length, (index) => [real[index], ours[index]]);
  if (isPlain(real) && isPlain(ours)) {
    const names = [...new Set([...Object.keys(real), ...Object.keys(ours)])];
    return names.flatMap((name) =>
      compare(
        real[name] ?? absent(name, real),
        ours[name] ?? absent(name, ours),
        at === '' ? name : `${at}.${name}`,
      ),
    );
  }
  return [{ at, real, ours }];
}

function members(
  at: string,
  left: number,
  right: number,
  pair: (index: number) => [Json | undefined, Json | undefined],
): Found[] {
  return Array.from({ length: Math.max(left, right) }, (_, index) => {
    const [real = ABSENT, ours = ABSENT] = pair(index);
    return compare(real, ours, `${at}[${index}]`);
  }).flat();
}

function absent(name: string, value: Readonly<Record<string, Json>>): Json {
  return name in value ? null : ABSENT;
}

function isPlain(value: Json): value is { readonly [key: string]: Json } {
  return typeof value === 'object' && value !== null && !isArray(value);
}

/** For people: the place, both values, and the record around them. */
export function describeFound(found: readonly Found[], real: Json, ours: Json): string {
  const [first] = found;
  if (first === undefined) return '';
  const rest =
    found.length > 1
      ? [
          `and ${found.length - 1} more: ${found
            .slice(1, 8)
            .map(({ at }) => at)
            .join(', ')}`,
        ]
      : [];
  return [
    `at ${first.at}`,
    `  magi-code: ${short(first.real)}`,
    `  here:      ${short(first.ours)}`,
    ...rest,
    `the record of magi-code: ${short(recordAt(real, first.at), 1_500)}`,
    `the record from here:    ${short(recordAt(ours, first.at), 1_500)}`,
  ].join('\n');
}

function recordAt(outcome: Json, at: string): Json {
  const match = /^([^.[]+)\[(\d+)\]/.exec(at);
  if (match === null || !isPlain(outcome)) return null;
  const records = outcome[match[1] ?? ''] ?? null;
  return isArray(records) ? (records[Number(match[2])] ?? null) : null;
}

function short(value: Json, max = 300): string {
  const text = JSON.stringify(value);
  return text.length > max ? `${text.slice(0, max)}…` : text;
}

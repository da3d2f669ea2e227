import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { recordFault } from '../../src/platform/fault-log.ts';

it('keeps faults in a private file, one after the other, and says where', () => {
  const root = mkdtempSync(join(tmpdir(), 'magi-term-log-'));
  const now = new Date(0);
  const file = recordFault(root, new Error('first'), now) ?? '';
  expect(recordFault(root, 'second', now)).toBe(file);
  expect(readFileSync(file, 'utf8')).toMatch(
    /^1970-01-01T00:00:00\.000Z\nError: first\n[\s\S]+\nsecond\n\n$/,
  );
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(recordFault('/dev/null', new Error('third'), now)).toBeNull();
  rmSync(root, { recursive: true });
});

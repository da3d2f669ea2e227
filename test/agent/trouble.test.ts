import { expect, test } from 'vitest';
import type { Trouble } from '../../src/agent/provider/guarded-fetch.ts';
import { troubleNotice } from '../../src/agent/provider/trouble.ts';

const URL_WITH_SECRETS = 'http://user:secret@127.0.0.1:9/v1?key=secret';

test.each<[Trouble | null, RegExp]>([
  [null, /could not be used.*F5/u],
  [{ kind: 'network', code: 'ECONNRESET' }, /127\.0\.0\.1:9 was lost\. Send again\./u],
  [{ kind: 'network', code: 'ECONNREFUSED' }, /127\.0\.0\.1:9 cannot be reached \(connection refused\)/u],
  [{ kind: 'status', status: 401, retryAfterMs: null }, /refuses the key \(401\).*daemon stop/u],
  [{ kind: 'status', status: 404, retryAfterMs: null }, /does not know the model or the address/u],
  [{ kind: 'status', status: 429, retryAfterMs: null }, /busy, or the quota/u],
  [{ kind: 'status', status: 500, retryAfterMs: null }, /error \(500\).*Try again/u],
  [{ kind: 'silent', afterMs: 120_000 }, /nothing for 120 s/u],
  [{ kind: 'too-large' }, /too large/u],
])('%j is told with a next step and without secrets', (trouble, words) => {
  const notice = troubleNotice(trouble, URL_WITH_SECRETS);
  expect(notice).toMatch(words);
  expect(notice).not.toContain('secret');
  expect(Buffer.byteLength(notice)).toBeLessThanOrEqual(512);
});

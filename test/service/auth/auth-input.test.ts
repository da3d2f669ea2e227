/** What is pasted, and where a service signs in. */
import { describe, expect, test } from 'vitest';
import { readCallbackInput } from '../../../src/service/auth/callback-input.ts';
import { oauthSettings, redirectUri } from '../../../src/service/auth/oauth-settings.ts';

describe('a pasted answer', () => {
  const parts = (input: string) => {
    const read = readCallbackInput(input);
    return read === null ? null : [read.bare, Object.fromEntries(read.parameters)];
  };

  test.each<[string, unknown]>([
    ['http://localhost:1455/auth/callback?code=a&state=b', [false, { code: 'a', state: 'b' }]],
    ['https://elsewhere.test/auth/callback?code=a%2Bc&state=b#x', [false, { code: 'a+c', state: 'b' }]],
    ['localhost:1455/auth/callback?code=a&state=b', [false, { code: 'a', state: 'b' }]],
    ['http://localhost:1455/auth/callback', [false, {}]],
    ['  ac_12.x-Y~z  ', [true, { code: 'ac_12.x-Y~z' }]],
    ['code#state', [false, { code: 'code', state: 'state' }]],
    ['code#', [false, { code: 'code', state: '' }]],
    ['#state', null],
    ['code#state#more', null],
    ['two words', null],
    ['   ', null],
    ['http://localhost:1455/auth/callback/?code=a', null],
    ['http://localhost:1455/?code=a&state=b', null],
    ['http://[broken/auth/callback?code=a', null],
    ['ümlaut', null],
  ])('%j', (input, expected) => {
    expect(parts(input)).toEqual(expected);
  });
});

describe('where to sign in', () => {
  test('the vendor, unless the environment says otherwise', () => {
    expect(oauthSettings({})).toMatchObject({
      ok: true,
      settings: {
        issuer: 'https://auth.openai.com',
        authorizationEndpoint: 'https://auth.openai.com/oauth/authorize',
        tokenEndpoint: 'https://auth.openai.com/oauth/token',
        callbackPort: 1455,
        insecure: false,
      },
    });
    expect(redirectUri(1455)).toBe('http://localhost:1455/auth/callback');
    expect(redirectUri(0)).toBe('http://localhost:1455/auth/callback');
  });

  test.each(['http://127.0.0.1:8080/', 'http://localhost:8080', 'http://[::1]:8080'])('%s', (issuer) => {
    const read = oauthSettings({ MAGI_TERM_OAUTH_ISSUER: issuer, MAGI_TERM_OAUTH_CALLBACK_PORT: '0' });
    expect(read).toMatchObject({ ok: true, settings: { insecure: true, callbackPort: 0 } });
  });

  test.each([
    { MAGI_TERM_OAUTH_ISSUER: 'http://login.example.test' },
    { MAGI_TERM_OAUTH_ISSUER: 'http://127.0.0.1.example.test' },
    { MAGI_TERM_OAUTH_ISSUER: 'https://user@login.example.test' },
    { MAGI_TERM_OAUTH_ISSUER: 'https://login.example.test?x=1' },
    { MAGI_TERM_OAUTH_ISSUER: 'no address' },
    { MAGI_TERM_OAUTH_TOKEN_ENDPOINT: 'http://login.example.test/token' },
    { MAGI_TERM_OAUTH_CALLBACK_PORT: '65536' },
    { MAGI_TERM_OAUTH_CALLBACK_PORT: 'x' },
  ])('not %j', (env) => {
    expect(oauthSettings(env)).toMatchObject({ ok: false, reason: expect.any(String) });
  });
});

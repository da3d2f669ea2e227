import { afterEach, beforeEach, expect, test } from 'vitest';
import { type CodexServer, startCodexServer } from '../../support/codex-server.ts';
import {
  ACCOUNT,
  type AuthWorld,
  CODEX,
  codexStatus,
  signIn,
  startAuthWorld,
  stored,
} from '../auth/auth-world.ts';
import { hold, type Rec, start, type WireClient } from '../harness.ts';
import { RealAgent } from './real-agent.ts';

let world: AuthWorld;
let client: WireClient;
let server: CodexServer;
let answer: number | null;
beforeEach(async () => {
  answer = null;
  server = await startCodexServer(() => answer ?? [{ text: 'hello from codex' }]);
  const env = {
    MAGI_TERM_PROVIDER: CODEX,
    MAGI_TERM_MODEL: 'gpt-6-sol',
    MAGI_TERM_CODEX_BASE_URL: server.url,
  };
  world = await startAuthWorld({ env, agent: new RealAgent() });
  client = await world.client();
});
afterEach(async () => {
  await world.close();
  await server.close();
});

async function turn(): Promise<Rec> {
  const held = await hold(client);
  const { payload } = await start(client, held, 'hi');
  return (await client.event('turn.terminal', ({ turn_id }) => turn_id === payload.turn_id)).payload;
}

test('a turn works with the sign-in', async () => {
  await signIn(world, client);
  expect(await turn()).toMatchObject({ status: 'completed', assistant_text: 'hello from codex' });
  const { access } = stored(world.stateRoot).providers[CODEX];
  expect(server.requests[0]?.headers).toMatchObject({
    authorization: `Bearer ${access}`,
    'chatgpt-account-id': ACCOUNT,
  });
});

test('without one it says what is missing', async () => {
  expect(await turn()).toMatchObject({
    status: 'failed',
    notice: 'Nobody is signed in to Codex. Sign in to Codex, then send the message again.',
  });
  expect(server.requests).toEqual([]);
});

test('a sign-in that is refused needs another one, and that works', async () => {
  await signIn(world, client);
  answer = 401;
  expect(await turn()).toMatchObject({
    status: 'failed',
    notice: expect.stringContaining('Sign in to Codex again'),
  });
  expect(await codexStatus(client)).toMatchObject({ readiness: 'needs_login', ready: false });
  answer = null;
  expect(await turn()).toMatchObject({
    status: 'failed',
    notice: 'The sign-in to Codex has ended. Sign in to Codex again, then send the message again.',
  });
  expect(server.requests).toHaveLength(1);
  await signIn(world, client);
  expect(await codexStatus(client)).toMatchObject({ readiness: 'ready' });
  expect(await turn()).toMatchObject({ status: 'completed' });
});

test('its models are in the catalog', async () => {
  const { payload } = await client.ask('catalog.models', { provider_id: CODEX });
  expect(payload.entries.map(({ model_id }: Rec) => model_id)).toContain('gpt-6-sol');
});

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { png } from '../../agent/image-support.ts';
import { hold, op } from '../harness.ts';
import { type RealWorld, startRealWorld, turn } from './real-agent.ts';

let real: RealWorld;
afterEach(() => real.close());

test.each([
  ['gpt-4o', 'openai-completions', true],
  ['claude-sonnet-4-6', 'anthropic-messages', true],
  ['scripted-1', 'openai-completions', false],
] as const)('an image that is attached reaches %s over %s now and later: %s', async (model, api, sees) => {
  real = await startRealWorld(model, api, { script: () => [{ text: 'seen' }] });
  const { server, world } = real;
  const image = png(30, 50);
  writeFileSync(join(world.workspace, 'shot.png'), image);
  writeFileSync(join(world.workspace, 'large.png'), png(30, 50, 3_600_000));
  writeFileSync(join(world.workspace, 'note.md'), '# Hello');
  const client = await world.profileClient();
  const held = await hold(client);
  const attachments = [];
  for (const path of ['shot.png', 'large.png', 'note.md']) {
    const slots = { operation_id: op(), session_id: held.session, control: held.control };
    attachments.push({ ref: (await client.ask('session.attach_file', { path }, slots)).payload.ref });
  }
  await turn(client, held, { prompt: 'Look', attachments });
  await turn(client, held, { prompt: 'And again' });
  expect(server.requests).toHaveLength(2);
  for (const { body } of server.requests) {
    const sent = JSON.stringify(body.messages);
    expect(sent.split(image.toString('base64'))).toHaveLength(sees ? 2 : 1);
    expect(sent).toContain(join(world.stateRoot, 'attachments', attachments[0]?.ref));
    expect(sent.includes('is not shown: 3600000 bytes are more than')).toBe(sees);
    expect(sent).toContain('note.md');
    expect(sent.length).toBeLessThan(50_000);
  }
});

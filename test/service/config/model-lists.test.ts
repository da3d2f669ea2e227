/** What becomes of a server's list of models that holds what cannot be used. */
import { writeFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import type { ModelInfo } from '../../../src/agent/runtime.ts';
import { type LogFields, silentLog } from '../../../src/service/log.ts';
import { modelsResult } from '../../../src/wire/catalog.ts';
import { op, startWorld } from '../harness.ts';

const model = (id: string, label = id): ModelInfo => ({
  id,
  label,
  contextWindow: null,
  maxOutputTokens: null,
  thinkingLevels: ['default'],
});

test('one odd ID does not cost the others, and how many were left out is in the log', async () => {
  const warnings: (readonly [string, LogFields])[] = [];
  const warn = (message: string, fields: LogFields): void => void warnings.push([message, fields]);
  const world = await startWorld({ log: { ...silentLog, warn } });
  onTestFinished(() => world.close());
  const box = { baseUrl: 'http://127.0.0.1:1/v1', api: 'openai-completions' };
  writeFileSync(world.settingsFile, JSON.stringify({ providers: { box } }));
  const odd = ['', 'a\u0007b', 'a b', 'é', 'x'.repeat(257), 'sk-not-a-model', 'good'];
  world.agent.models = async () => [
    model('good', 'A\u001b[31mB\nC'),
    ...odd.map((id) => model(id)),
    model('better'),
  ];
  const client = await world.client();
  await client.ask('catalog.refresh', { provider_id: 'box' }, { operation_id: op() });
  const { payload } = await client.ask('catalog.models', { provider_id: 'box' });
  expect(modelsResult.parse(payload).entries.map(({ label, model_id }) => [model_id, label])).toEqual([
    ['good', 'A [31mB C'],
    ['better', 'better'],
  ]);
  expect(warnings).toEqual([
    ['models without an ID of their own that can be used are left out', { provider: 'box', leftOut: 7 }],
  ]);
});

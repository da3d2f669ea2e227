/** Who could answer, and what becomes of a choice whose models are not known yet. */
import { expect, test } from 'vitest';
import type { Connection } from '../../src/client/connection.ts';
import { readChoices } from '../../src/store/service-facts.ts';
import { INITIAL, type State } from '../../src/store/state.ts';
import { Store } from '../../src/store/store.ts';
import { WhoAnswers } from '../../src/store/who-answers.ts';

const READY = { auth_method: 'none', source: 'none', readiness: 'ready', ready: true };

/** A service with one provider whose list comes with the first refresh, if it comes at all. */
function service(gives: 'a list' | 'nothing') {
  const asked: string[] = [];
  const answers: Record<string, () => unknown> = {
    'auth.status': () => ({ providers: [{ provider_id: 'local', ...READY }] }),
    'catalog.providers': () => ({ entries: [{ provider_id: 'local', label: 'Local' }], next_offset: null }),
    'catalog.refresh': () => ({ state: 'fresh_cache' }),
    'catalog.models': () =>
      asked.includes('catalog.refresh') && gives === 'a list'
        ? { state: 'fresh_cache', entries: [{ model_id: 'm', label: 'M', available: true }] }
        : { state: 'unavailable', entries: [] },
    'config.set': () => ({ effective: { selection: { provider_id: 'local', model_id: 'm' } } }),
  };
  const connection = {
    service: { capabilities: { operations: Object.keys(answers) } },
    request: async (method: string) => {
      asked.push(method);
      return answers[method]?.();
    },
  };
  return { asked, connection: connection as unknown as Connection };
}

async function chosenOnce(gives: 'a list' | 'nothing') {
  const { asked, connection } = service(gives);
  const store = new Store<State>(INITIAL, queueMicrotask);
  const who = new WhoAnswers(store);
  await who.ask(connection);
  const [choice] = store.getState().setup ?? [];
  if (choice === undefined) throw new Error('nobody is offered');
  await who.choose(connection, choice);
  return { asked, connection, store, who };
}

test('a provider whose models are not known is offered all the same', async () => {
  expect(await readChoices(service('nothing').connection)).toEqual([
    {
      providerId: 'local',
      modelId: '',
      label: 'Local',
      detail: 'its models are not known yet: Enter asks',
      howTo: '',
    },
  ]);
});

test('choosing it asks for its models; once they are there it can be chosen', async () => {
  const { asked, connection, store, who } = await chosenOnce('a list');
  const [choice] = store.getState().setup ?? [];
  expect([asked.includes('config.set'), choice?.modelId, store.getState().notice]).toEqual([
    false,
    'm',
    null,
  ]);
  if (choice !== undefined) await who.choose(connection, choice);
  expect([asked.at(-1), store.getState().setup]).toEqual(['config.set', null]);
});

test('one that gives none says so and stays', async () => {
  const { asked, store } = await chosenOnce('nothing');
  expect(store.getState().setup?.length).toBe(1);
  expect(store.getState().notice?.text).toContain('Local gave no list');
  expect(asked).not.toContain('config.set');
});

/** Settings as the screen reads and saves them (PROTOCOL.md, "Catalogs", "Configuration"). */
import { expect, test, vi } from 'vitest';
import { heldModel } from '../../src/store/saved-settings.ts';
import { nextTurn } from '../../src/ui/settings/next-turn.ts';
import { MODEL, PROVIDER, scenes } from './scene.ts';
import { talks } from './talk.ts';

const scene = scenes();
const talkWith = talks();

test('what is refused is said with its reason, what is saved counts, and nothing is made up about layers', async () => {
  const { conversation, store } = talkWith(await scene());
  await vi.waitFor(() => expect(store.getState().link.kind).toBe('ready'));
  await conversation.catalog.read();
  const { catalog } = store.getState();
  expect(catalog.providers.map(({ id, list, reason }) => [id, list, reason])).toEqual([
    ['anthropic', 'unavailable', 'its key is missing'],
    [PROVIDER, 'unavailable', ''],
    ['openai-codex', 'unavailable', 'not signed in'],
  ]);
  // Nothing is known of models without a way out: it says so, and what to do.
  expect(catalog).toMatchObject({ state: 'failed', progress: null, failure: expect.stringContaining('.') });

  const selection = { provider_id: PROVIDER, model_id: MODEL };
  const refused = await conversation.settings.save('project', { selection });
  expect(refused).toEqual({
    text: 'Not saved. The list of models is not loaded. Refresh it first.',
    tone: 'warn',
  });
  expect(heldModel(store.getState(), 'project').where).toBe('unknown');

  expect(await conversation.settings.save('global', { fast: true })).toEqual({
    text: 'Saved for every folder.',
    tone: 'info',
  });
  expect(nextTurn(store.getState())).toEqual({
    what: `${PROVIDER}/${MODEL} · default · fast`,
    why: [],
    tone: 'plain',
  });
});

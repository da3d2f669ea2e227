/** Saving settings, and what people are told about it (PROTOCOL.md, "Configuration"). */
import { describe, expect, test, vi } from 'vitest';
import { refusal, unanswered } from '../../src/client/failure.ts';
import { heldLevel, heldModel } from '../../src/store/saved-settings.ts';
import type { ConfigProjection } from '../../src/wire/config.ts';
import { FakeService } from './fake-service.ts';
import { type Scene, scene, untilReady } from './scene.ts';

const ONE = { provider_id: 'demo', model_id: 'm-one' };
const TWO = { provider_id: 'demo', model_id: 'm-two' };
const NOTHING = { provider_id: null, model_id: null, thinking_level: null };

const CONFIG: ConfigProjection = {
  selection: ONE,
  thinking_level: 'default',
  configured_thinking_level: 'default',
  available_thinking_levels: ['default', 'low', 'high'],
  fast: false,
  precedence: ['environment', 'project', 'global'],
  writable_scopes: ['global', 'project'],
  global_only: ['fast'],
};

/** A service with these settings, that answers a change as told. */
function settled(
  before: Partial<ConfigProjection>,
  after: Partial<ConfigProjection>,
  telling: 'activity' | 'envelopes' = 'activity',
): Scene {
  const service = new FakeService('instance-1');
  service.enveloped = telling === 'envelopes';
  service.handlers.set('config.get', () => ({ ...CONFIG, ...before }));
  service.handlers.set('config.set', () => ({
    persisted: true,
    scope: 'global',
    effective: { ...CONFIG, ...before, ...after },
  }));
  return scene(service);
}

const said = ({ store }: Scene) => store.getState().settings.said?.text;

describe('what was saved', () => {
  test('counts: no more words than needed', async () => {
    const made = settled({}, { selection: TWO });
    await untilReady(made);
    await made.conversation.settings.save('global', { selection: TWO });
    expect(said(made)).toBe('Saved for every folder.');
    expect(made.store.getState().config?.selection).toEqual(TWO);
    expect(made.store.getState().settings.pending).toBeNull();
  });

  test('does not count: whoever decides is named, where the service tells', async () => {
    const layers = {
      deciding: { selection: 'environment', thinking_level: null },
      environment: { ...NOTHING, model_id: 'm-one' },
      project: NOTHING,
      global: { ...TWO, thinking_level: 'default' },
    } as const;
    const made = settled({}, { layers }, 'envelopes');
    await untilReady(made);
    await made.conversation.settings.save('global', { selection: TWO });
    expect(said(made)).toBe(
      'Saved for every folder. It does not count yet: the environment of the service (MAGI_TERM_PROVIDER, MAGI_TERM_MODEL) decides, and that is demo/m-one.',
    );
  });

  test.each([
    [
      'global',
      /environment of the service \(MC_PROVIDER, MC_MODEL\) or what is saved for this folder decides/,
    ],
    ['project', /yet: the environment of the service \(MC_PROVIDER, MC_MODEL\) decides/],
  ] as const)('does not count, and the service does not say why: %s', async (scope, words) => {
    const made = settled({}, {});
    await untilReady(made);
    const { tone } = await made.conversation.settings.save(scope, { selection: TWO });
    expect(said(made)).toMatch(words);
    expect(tone).toBe('warn');
  });

  test('takes the thinking level away with the model, and says so', async () => {
    const made = settled(
      { thinking_level: 'high', configured_thinking_level: 'high' },
      { selection: TWO, thinking_level: 'default', configured_thinking_level: 'default' },
    );
    await untilReady(made);
    await made.conversation.settings.save('global', { selection: TWO });
    expect(said(made)).toContain('Thinking is “default” again: every model begins with it.');
  });

  test('is for later while a turn runs', async () => {
    const made = settled({}, { thinking_level: 'high', configured_thinking_level: 'high' });
    await untilReady(made);
    made.conversation.send('Hello');
    await vi.waitFor(() => expect(made.store.getState().live).not.toBeNull());
    await made.conversation.settings.save('global', { thinking_level: 'high' });
    expect(said(made)).toBe(
      'Saved for every folder. The running turn keeps what it began with; the next one takes it.',
    );
  });

  test('changes nothing for a session that chose for itself', async () => {
    const made = settled({}, { selection: TWO }, 'envelopes');
    await untilReady(made);
    made.conversation.change({ selection: ONE });
    await made.conversation.settings.save('global', { selection: TWO });
    expect(said(made)).toBe('Saved for every folder. This session keeps its own choice, demo/m-one.');
  });
});

describe('what was not saved', () => {
  test('is said with the reason and the next step', async () => {
    const made = settled({}, {});
    made.service.handlers.set('config.set', () => {
      throw refusal({ code: 'catalog_stale' });
    });
    await untilReady(made);
    const { text, tone } = await made.conversation.settings.save('global', { selection: TWO });
    expect(text).toMatch(/^Not saved\. .+\. .+\.$/);
    expect([said(made), tone]).toEqual([text, 'warn']);
    expect(made.store.getState().config?.selection).toEqual(ONE);
  });

  test('is not known when the answer was lost: the settings are read with the next link, nothing is saved again', async () => {
    const made = settled({}, {});
    made.service.handlers.set('config.set', () => {
      made.service.handlers.set('config.get', () => ({ ...CONFIG, selection: TWO }));
      throw unanswered('link_lost', 'uncertain');
    });
    await untilReady(made);
    await made.conversation.settings.save('global', { selection: TWO });
    expect(said(made)).toBe('The link was lost: whether it was saved shows when it is back.');
    made.service.drop();
    await vi.waitFor(() => expect(said(made)).toBe('The link is back: this is what the settings say now.'));
    expect(made.store.getState().config?.selection).toEqual(TWO);
    expect(made.service.calls.filter((call) => call === 'config.set').length).toBe(1);
  });
});

describe('what a scope holds', () => {
  const settings = { pending: null, said: null, here: {} };

  test('is told as inherited where it is', () => {
    const layers = {
      deciding: { selection: 'global', thinking_level: 'project' },
      environment: NOTHING,
      project: { ...NOTHING, thinking_level: 'high' },
      global: { ...TWO, thinking_level: 'low' },
    } as const;
    const known = { config: { ...CONFIG, layers }, settings };
    expect(heldModel(known, 'project')).toEqual({ value: layers.global, where: 'global' });
    expect(heldLevel(known, 'project')).toEqual({ value: layers.project, where: 'project' });
    expect(heldLevel(known, 'global')).toEqual({ value: layers.global, where: 'global' });
  });

  test('is not known from a service that does not tell, but for what was saved here', async () => {
    const made = settled({}, { selection: TWO });
    await untilReady(made);
    expect(heldModel(made.store.getState(), 'project')).toEqual({ value: null, where: 'unknown' });
    await made.conversation.settings.save('project', { selection: TWO });
    expect(heldModel(made.store.getState(), 'project').value).toMatchObject(TWO);
    expect(heldModel(made.store.getState(), 'global')).toEqual({ value: null, where: 'unknown' });
  });
});

test('changes are made one after the other, in their order', async () => {
  const made = settled({}, {});
  const asked: unknown[] = [];
  const gates: (() => void)[] = [];
  made.service.handlers.set('config.set', async (payload) => {
    asked.push(payload);
    await new Promise<void>((open) => gates.push(open));
    return { persisted: true, scope: 'global', effective: CONFIG };
  });
  await untilReady(made);
  const first = made.conversation.settings.save('global', { fast: true });
  const second = made.conversation.settings.save('project', { thinking_level: 'low' });
  const pending = () => made.store.getState().settings.pending;
  expect(pending()).toEqual({ thinking_level: 'low' });
  made.conversation.settings.forget();
  expect(pending()).toEqual({ thinking_level: 'low' });
  await vi.waitFor(() => expect(gates.length).toBe(1));
  expect(asked).toEqual([{ scope: 'global', fast: true }]);
  gates[0]?.();
  await first;
  expect(pending()).toEqual({ thinking_level: 'low' });
  await vi.waitFor(() => expect(gates.length).toBe(2));
  gates[1]?.();
  await second;
  expect(pending()).toBeNull();
  expect(asked).toEqual([
    { scope: 'global', fast: true },
    { scope: 'project', thinking_level: 'low' },
  ]);
});

describe('settings that others change', () => {
  test('are read when a turn begins, so that what is shown is what runs', async () => {
    const made = settled({}, {}, 'envelopes');
    await untilReady(made);
    made.service.handlers.set('config.get', () => ({ ...CONFIG, selection: TWO }));
    made.conversation.send('Hello');
    await vi.waitFor(() => expect(made.store.getState().live).not.toBeNull());
    made.service.started();
    await vi.waitFor(() => expect(made.store.getState().config?.selection).toEqual(TWO));
  });

  test('are followed while somebody looks, and what was said of a change stays', async () => {
    const made = settled({}, { selection: TWO }, 'envelopes');
    await untilReady(made);
    await made.conversation.settings.save('global', { selection: TWO });
    const stop = made.conversation.settings.follow();
    made.service.handlers.set('config.get', () => ({ ...CONFIG, fast: true }));
    made.later();
    await vi.waitFor(() => expect(made.store.getState().config?.fast).toBe(true));
    expect(said(made)).toBe('Saved for every folder.');
    stop();
  });

  test('are left alone where reading stands in the way of others', async () => {
    const made = settled({}, {});
    await untilReady(made);
    const calls = made.service.calls.length;
    await made.conversation.settings.look();
    expect(made.service.calls.length).toBe(calls);
  });
});

test('what a scope no longer says is told with what counts now', async () => {
  const made = settled({}, { selection: TWO }, 'envelopes');
  await untilReady(made);
  await made.conversation.settings.save('project', { reset: ['selection'] });
  expect(said(made)).toBe('Nothing of it is saved for this folder any more: demo/m-two counts.');
});

/** The keys of the settings screen. */
import { expect, test } from 'vitest';
import { draftText, withText } from '../../../src/ui/composer/draft.ts';
import type { ProviderAuth } from '../../../src/wire/auth.ts';
import type { ConfigProjection } from '../../../src/wire/config.ts';
import { DeskScene } from '../reading/desk.ts';

const CONFIG: ConfigProjection = {
  selection: { provider_id: 'one', model_id: 'm' },
  thinking_level: 'low',
  configured_thinking_level: 'low',
  available_thinking_levels: ['default', 'low', 'high'],
  fast: false,
  precedence: ['environment', 'project', 'global'],
  writable_scopes: ['global', 'project'],
  global_only: ['fast'],
};

const auth = (provider_id: string): ProviderAuth => ({
  provider_id,
  auth_method: 'api_key',
  source: 'environment',
  readiness: 'missing',
  ready: false,
});

function settingsScene(config: Partial<ConfigProjection> = {}): DeskScene {
  const scene = new DeskScene([], { columns: 80, rows: 24 });
  const head = { reason: '', list: 'fresh', models: [] } as const;
  const providers = [
    { ...head, id: 'one', label: 'One' },
    { ...head, id: 'two', label: 'Two', reason: 'its key is missing' },
  ];
  scene.update((state) => ({
    ...state,
    config: { ...CONFIG, ...config },
    catalog: { state: 'read', providers, failure: '', progress: null },
    providers: [auth('one'), auth('two')],
  }));
  scene.run('chat.settings');
  scene.calls.length = 0;
  return scene;
}

test('levels are stepped through as the model offers them, and saved in the scope that is shown', () => {
  const scene = settingsScene();
  scene.press('down', 'down', 'right', 'p', 'left');
  expect(scene.calls).toEqual([
    'save global {"thinking_level":"high"}',
    'forget',
    'save project {"thinking_level":"default"}',
  ]);
  const single = settingsScene({
    available_thinking_levels: ['default'],
    configured_thinking_level: 'default',
  });
  single.press('down', 'down', 'right');
  expect([single.calls, single.said]).toEqual([[], ['This model offers no other level.']]);
});

test('quick keys go on from what was asked for last', () => {
  const scene = settingsScene();
  scene.update((state) => ({
    ...state,
    settings: { ...state.settings, pending: { thinking_level: 'default' } },
  }));
  scene.press('down', 'down', 'right');
  expect(scene.calls).toEqual(['save global {"thinking_level":"low"}']);
});

test('a level is saved with the model that the scope names, as that model offers it', () => {
  const nothing = { provider_id: null, model_id: null, thinking_level: null };
  const scene = settingsScene({
    layers: {
      deciding: { selection: 'project', thinking_level: 'project' },
      environment: nothing,
      project: { provider_id: 'one', model_id: 'm', thinking_level: 'low' },
      global: { provider_id: 'one', model_id: 'other', thinking_level: 'default' },
    },
  });
  const model = {
    provider_id: 'one',
    model_id: 'other',
    label: '',
    available: true,
    context_window: null,
    max_output_tokens: null,
    available_thinking_levels: ['default', 'max'],
  } as const;
  scene.update((state) => ({
    ...state,
    catalog: {
      ...state.catalog,
      providers: state.catalog.providers.map((provider) =>
        provider.id === 'one'
          ? {
              ...provider,
              models: [{ ...model, available_thinking_levels: [...model.available_thinking_levels] }],
            }
          : provider,
      ),
    },
  }));
  expect(scene.view.settings.scope).toBe('project');
  scene.press('g', 'down', 'down', 'right');
  expect(scene.calls.at(-1)).toBe(
    'save global {"selection":{"provider_id":"one","model_id":"other"},"thinking_level":"max"}',
  );
});

test('what is saved in a scope can be forgotten, where the service can', () => {
  const nothing = { provider_id: null, model_id: null, thinking_level: null };
  const deciding = { selection: null, thinking_level: null };
  const scene = settingsScene({
    layers: { deciding, environment: nothing, project: nothing, global: nothing },
  });
  scene.press('p', 'x', 'down', 'down', 'x', 'down', 'x');
  expect(scene.calls).toEqual([
    'forget',
    'save project {"reset":["selection","thinking_level"]}',
    'save project {"reset":["thinking_level"]}',
  ]);
  expect(scene.said).toEqual(['It is not kept for a folder: there is nothing to forget.']);
  const other = settingsScene();
  other.press('x');
  expect(other.said).toEqual(['This service keeps what is saved until something else is.']);
});

test('Ctrl+C goes back and touches nothing behind the screen', () => {
  const scene = settingsScene();
  scene.desk.view.update((seen) => withText(seen, 'half a thought'));
  scene.run('chat.interrupt');
  expect([scene.view.screen, draftText(scene.view)]).toEqual(['chat', 'half a thought']);
  scene.run('chat.settings');
  scene.run('chat.quit');
  expect([scene.view.screen, draftText(scene.view)]).toEqual(['chat', 'half a thought']);
  expect(scene.calls).not.toContain('stop');
});

test('fast is for every folder, whatever scope is shown', () => {
  const scene = settingsScene();
  scene.press('p', 'down', 'down', 'down', 'enter');
  expect(scene.calls).toEqual(['forget', 'save global {"fast":true}']);
});

test('a scope that cannot be written is not chosen, and that is said', () => {
  const scene = settingsScene({ writable_scopes: ['global'] });
  scene.press('p');
  expect(scene.view.settings.scope).toBe('global');
  expect(scene.said).toEqual(['This service cannot save settings for this folder.']);
});

test('who is not ready leads to signing in, with that provider chosen, and back', () => {
  const scene = settingsScene();
  scene.press('enter', 'down', 'enter');
  expect([scene.view.screen, scene.view.login.selected]).toEqual(['login', 1]);
  expect(scene.view.picker).toBeNull();
  scene.press('escape');
  expect(scene.view.screen).toBe('settings');
  scene.press('escape');
  expect(scene.view.screen).toBe('chat');
});

test('who is ready leads to models of its own', () => {
  const scene = settingsScene();
  scene.press('enter', 'enter');
  expect(scene.view.picker).toMatchObject({ kind: 'saved-model', providerId: 'one' });
});

test('refreshing asks the provider that is shown, or says what it lacks', () => {
  const scene = settingsScene();
  scene.press('r');
  expect(scene.calls).toEqual(['read settings', 'refresh one']);
  const locked = settingsScene({ selection: { provider_id: 'two', model_id: 'm' } });
  locked.press('r');
  expect(locked.calls).toEqual(['read settings', 'read catalog']);
  expect(locked.said).toEqual(['Two: its key is missing. Alt+L leads to signing in.']);
});

test('a list that is open goes with the screen', () => {
  const scene = settingsScene();
  scene.press('enter');
  expect(scene.view.picker).not.toBeNull();
  scene.run('chat.sessions');
  expect(scene.view.picker).toBeNull();
});

/** What changing a setting does to the file, and which saved value counts. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Change, changed, hiddenWords } from '../../../src/cli/config/change.ts';
import { deciding, decidingWords } from '../../../src/cli/config/deciding.ts';
import { type Scope, type SettingValue, savedAt } from '../../../src/cli/config/setting.ts';
import { settingNamed } from '../../../src/cli/config/setting-list.ts';
import type { Settings } from '../../../src/platform/settings.ts';
import { choose } from '../../../src/service/config/selection.ts';

const HERE = '/home/somebody/project';

function change(
  name: string,
  value: SettingValue | undefined,
  scope: Scope = 'global',
  provider: string | null = null,
): Change {
  return { setting: settingNamed(name), scope, value, provider };
}

const folder = (own: Record<string, unknown>): Settings => ({
  workspaces: { [HERE]: own },
});

describe('one setting', () => {
  test('of a folder leaves everything else as it is', () => {
    const before: Settings = {
      $schema: './settings.schema.json',
      provider: 'demo',
      unheardOf: { a: [1] },
      ui: { theme: 'dark', unheardOf: true },
      workspaces: { '/other': { provider: 'openai' }, [HERE]: { unheardOf: 1, allow: { bash: false } } },
    };
    const { notes, settings } = changed(before, HERE, change('allow.writeOutside', true, 'project'));
    expect(notes).toEqual([]);
    expect(settings).toEqual({
      ...before,
      workspaces: {
        '/other': { provider: 'openai' },
        [HERE]: { unheardOf: 1, allow: { bash: false, writeOutside: true } },
      },
    });
  });

  test('that is taken away takes what it leaves empty with it, and nothing else', () => {
    const before: Settings = {
      ui: { keys: { 'chat.help': 'f1' } },
      workspaces: { [HERE]: { allow: { bash: true } } },
    };
    const keys = changed(before, HERE, change('ui.keys.chat.help', undefined)).settings;
    expect(keys).toEqual({ workspaces: before.workspaces });
    expect(changed(keys, HERE, change('allow.bash', undefined, 'project')).settings).toEqual({});
  });
});

describe('a provider and a model', () => {
  test.each<[string, Settings, Change, Settings, readonly RegExp[]]>([
    [
      'a model resets the level of its scope',
      { provider: 'demo', thinkingLevel: 'high' },
      change('model', 'demo-2'),
      { provider: 'demo', model: 'demo-2', thinkingLevel: 'default' },
      [/thinkingLevel was high and is default again/],
    ],
    [
      'a level of the other scope stays',
      { thinkingLevel: 'high' },
      change('model', 'demo-2', 'project'),
      { thinkingLevel: 'high', ...folder({ model: 'demo-2' }) },
      [],
    ],
    [
      'a level that is default already is not told',
      { thinkingLevel: 'default' },
      change('provider', 'demo'),
      { provider: 'demo', thinkingLevel: 'default' },
      [],
    ],
    [
      'another provider does not keep the model',
      { provider: 'demo', model: 'demo-1' },
      change('provider', 'openai'),
      { provider: 'openai' },
      [/The model demo-1 was one of demo/],
    ],
    [
      'the same provider keeps it',
      { provider: 'demo', model: 'demo-1' },
      change('provider', 'demo'),
      { provider: 'demo', model: 'demo-1' },
      [],
    ],
    [
      'a first provider keeps the model that was chosen for it before',
      { model: 'gpt-1' },
      change('provider', 'openai'),
      { provider: 'openai', model: 'gpt-1' },
      [],
    ],
    [
      'no provider keeps no model',
      { provider: 'demo', model: 'demo-1', thinkingLevel: 'high' },
      change('provider', undefined),
      { thinkingLevel: 'high' },
      [/The model demo-1 was one of demo/],
    ],
    [
      'a model with its provider',
      { provider: 'demo', model: 'demo-1' },
      change('model', 'org/gpt-1', 'project', 'openai'),
      { provider: 'demo', model: 'demo-1', ...folder({ provider: 'openai', model: 'org/gpt-1' }) },
      [],
    ],
  ])('%s', (_name, before, asked, after, notes) => {
    const { notes: told, settings } = changed(before, HERE, asked);
    expect(settings).toEqual(after);
    expect(told).toEqual(notes.map((note) => expect.stringMatching(note)));
  });

  test('counts as the service chooses', () => {
    // What the service takes without a choice is none of these.
    const id = fc.constantFrom('demo', 'my-server', 'org/x', 'no id', undefined);
    const layer = fc.record({ provider: id, model: id });
    const nothing = { hasKey: () => false, isSignedIn: () => false };
    fc.assert(
      fc.property(layer, layer, layer, (global, project, fromEnv) => {
        const settings = { ...global, workspaces: { [HERE]: project } };
        const env: NodeJS.ProcessEnv = {};
        if (fromEnv.provider !== undefined) env.MAGI_TERM_PROVIDER = fromEnv.provider;
        if (fromEnv.model !== undefined) env.MAGI_TERM_MODEL = fromEnv.model;
        const { modelId, providerId } = choose(settings, HERE, env, nothing);
        const { model, provider } = deciding(settings, HERE, env);
        expect([provider.value ?? 'anthropic', model.value]).toEqual([providerId, modelId]);
      }),
    );
  });

  test.each<[string, Settings, NodeJS.ProcessEnv, 'provider' | 'model', RegExp]>([
    [
      'the model of the environment',
      { provider: 'demo' },
      { MAGI_TERM_MODEL: 'm' },
      'model',
      /^MAGI_TERM_MODEL .*: m\.$/,
    ],
    [
      'a provider of the environment without a model',
      { provider: 'demo', model: 'demo-1' },
      { MAGI_TERM_PROVIDER: 'openai' },
      'model',
      /^MAGI_TERM_PROVIDER .*: the usual model of openai\.$/,
    ],
    [
      'a provider of the folder without a model',
      { provider: 'demo', model: 'demo-1', ...folder({ provider: 'openai' }) },
      {},
      'model',
      /^What is saved for this folder decides here: the usual model of openai\.$/,
    ],
  ])('%s decides in words', (_name, settings, env, name, words) => {
    expect(decidingWords(name, deciding(settings, HERE, env))).toMatch(words);
  });
});

test.each<[string, Settings, NodeJS.ProcessEnv, Change, RegExp | null]>([
  ['nothing', { provider: 'demo' }, {}, change('provider', 'demo'), null],
  [
    'the folder',
    folder({ provider: 'openai' }),
    {},
    change('provider', 'demo'),
    /this folder decides here: openai\.$/,
  ],
  ['a folder that agrees', folder({ provider: 'demo' }), {}, change('provider', 'demo'), null],
  [
    'the environment',
    {},
    { MAGI_TERM_PROVIDER: 'openai' },
    change('provider', 'demo', 'project'),
    /MAGI_TERM_PROVIDER/,
  ],
  [
    'an environment that is no ID',
    {},
    { MAGI_TERM_PROVIDER: 'a b' },
    change('provider', 'demo', 'project'),
    null,
  ],
  [
    'the level of the folder',
    folder({ thinkingLevel: 'low' }),
    {},
    change('thinkingLevel', 'high'),
    /decides here: low\.$/,
  ],
  [
    'another folder',
    { workspaces: { '/other': { thinkingLevel: 'low' } } },
    {},
    change('thinkingLevel', 'high'),
    null,
  ],
  [
    'no level of the folder any more',
    { thinkingLevel: 'low' },
    {},
    change('thinkingLevel', undefined, 'project'),
    null,
  ],
])('%s hides a change', (_name, settings, env, asked, words) => {
  const after = changed(settings, HERE, asked).settings;
  const said = hiddenWords(after, HERE, env, asked);
  if (words === null) expect(said).toBeNull();
  else expect(said).toMatch(words);
});

describe('keys of a command', () => {
  const keys = (value: readonly string[], settings: Settings = {}) =>
    changed(settings, HERE, change('ui.keys.chat.help', value));

  test('are saved, and whoever loses one is named', () => {
    const { notes, settings } = keys(['f1', 'ctrl+r']);
    expect(savedAt(settings, HERE, settingNamed('ui.keys.chat.help'), 'global')).toEqual(['f1', 'ctrl+r']);
    expect(notes).toEqual(['Taken from “Find a message that was sent before”, which has no key now.']);
    expect(keys(['f1']).notes).toEqual([]);
  });

  test.each([
    ['what is no key', ['f1', 'boo'], {}, /"boo" is not a key\. Nothing was changed/],
    ['the key that always stops', ['ctrl+c'], {}, /ctrl\+c is wanted by chat\.interrupt/],
    [
      'a key that the user gave to somebody else',
      ['f7'],
      { ui: { keys: { 'chat.sessions': 'f7' } } },
      /f7 is wanted by chat\.help and by chat\.sessions/,
    ],
  ])('are not %s', (_name, value, settings, problem) => {
    expect(() => keys(value, settings)).toThrow(problem);
  });

  test('do not answer for the keys of others', () => {
    expect(keys(['f1'], { ui: { keys: { 'chat.sessions': 'boo', 'no.command': 'f7' } } }).notes).toEqual([]);
  });
});

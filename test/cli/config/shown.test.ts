/** What `config get` shows: never a value that counts for nothing as one that counts. */
import { expect, test } from 'vitest';
import { settingNamed } from '../../../src/cli/config/setting-list.ts';
import { notesOn, type View, valueShown } from '../../../src/cli/config/shown.ts';
import type { Settings } from '../../../src/platform/settings.ts';

const HERE = '/home/somebody/project';
const both: Settings = {
  provider: 'demo',
  model: 'demo-1',
  thinkingLevel: 'low',
  workspaces: { [HERE]: { provider: 'openai', thinkingLevel: 'high', allow: { bash: true } } },
};

function shown(name: string, view: Partial<View>): readonly [value: unknown, notes: readonly string[]] {
  const setting = settingNamed(name);
  const whole: View = { settings: both, workspace: HERE, env: {}, scope: null, ...view };
  const value = valueShown(whole, setting);
  return [value, notesOn(whole, { setting, value })];
}

test.each<[string, string, Partial<View>, unknown, readonly RegExp[]]>([
  ['the folder counts first', 'provider', {}, 'openai', []],
  ['a level of the folder, too', 'thinkingLevel', {}, 'high', []],
  ['what is saved for all', 'provider', { scope: 'global' }, 'demo', []],
  ['what is saved for the folder', 'model', { scope: 'project' }, undefined, []],
  ['a right of the folder', 'allow.bash', {}, true, []],
  ['no right of another folder', 'allow.bash', { workspace: '/other' }, undefined, []],
  ['another folder', 'model', { workspace: '/other' }, 'demo-1', []],
  [
    'a model that the provider of the folder hides',
    'model',
    {},
    undefined,
    [/^model: What is saved for this folder decides here: the usual model of openai\.$/],
  ],
  [
    'nothing hidden, nothing said',
    'model',
    { settings: { workspaces: { [HERE]: { provider: 'demo' } } } },
    undefined,
    [],
  ],
  ['an environment that agrees', 'provider', { env: { MAGI_TERM_PROVIDER: 'openai' } }, 'openai', []],
  [
    'an environment that does not',
    'provider',
    { env: { MAGI_TERM_PROVIDER: 'x' } },
    'openai',
    [/^provider: MAGI_TERM_PROVIDER decides instead, .*: x\.$/],
  ],
  [
    'also where nothing is saved',
    'model',
    { settings: {}, env: { MAGI_TERM_MODEL: 'm' } },
    undefined,
    [/MAGI_TERM_MODEL.*: m\.$/],
  ],
  [
    'a level that is none',
    'thinkingLevel',
    { settings: { thinkingLevel: 'ultra' } },
    undefined,
    [/"ultra" counts for nothing: use one of/],
  ],
  [
    'the same where it is saved',
    'thinkingLevel',
    { settings: { thinkingLevel: 'ultra' }, scope: 'global' },
    'ultra',
    [/"ultra" counts for nothing/],
  ],
  ['a model that is no ID', 'model', { settings: { model: 'a b' } }, undefined, [/"a b" counts for nothing/]],
  [
    'keys that are none',
    'ui.keys.chat.help',
    { settings: { ui: { keys: { 'chat.help': 'boo' } } } },
    'boo',
    [/"boo" is not a key/],
  ],
])('%s', (_name, name, view, value, notes) => {
  expect(shown(name, view)).toEqual([value, notes.map((note) => expect.stringMatching(note))]);
});

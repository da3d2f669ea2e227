/** The settings of `config`: what they take, where they stand, and the help and the schema that tell of them. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { SETTINGS_HELP } from '../../../src/cli/config/command.ts';
import { settingsJsonSchema } from '../../../src/cli/config/schema.ts';
import { parseValue, scopeOf } from '../../../src/cli/config/setting.ts';
import { commandOf, SETTINGS, settingNamed } from '../../../src/cli/config/setting-list.ts';
import { readSettings } from '../../../src/platform/settings.ts';
import { BINDINGS } from '../../../src/ui/keys/bindings.ts';

const plain = SETTINGS.filter((setting) => commandOf(setting) === null);

test.each([
  ['provider', 'true', 'true'],
  ['model', '5', '5'],
  ['model', 'org/model:7b', 'org/model:7b'],
  ['thinkingLevel', 'x_high', 'x_high'],
  ['fast', 'false', false],
  ['keepSessionsDays', '90', 90],
  ['allow.bash', 'true', true],
  ['ui.theme', 'none', 'none'],
  ['ui.keys.chat.help', ' f1  Ctrl+X ', ['f1', 'Ctrl+X']],
  ['ui.keys.chat.help', 'none', []],
])('%s takes %j', (name, text, value) => {
  expect(parseValue(settingNamed(name), text)).toEqual(value);
});

test.each([
  ['provider', '', /letters, digits/],
  ['provider', 'a b', /letters, digits/],
  ['model', `m${'x'.repeat(256)}`, /up to 256/],
  ['model', '\u001b[31m', /"\\u001b\[31m" is no value for model/],
  ['thinkingLevel', 'ultra', /default, low, medium, high, x_high, max/],
  ['fast', 'yes', /true or false/],
  ['keepSessionsDays', '0', /1 or more/],
  ['keepSessionsDays', '1.5', /1 or more/],
  ['keepSessionsDays', '1e3', /1 or more/],
  ['keepSessionsDays', '', /1 or more/],
  ['allow.bash', 'TRUE', /true or false/],
  ['ui.theme', 'purple', /auto, dark, light, contrast, ansi16, none/],
  ['ui.keys.chat.help', ' ', /no key was given/],
])('%s does not take %j', (name, text, reason) => {
  expect(() => parseValue(settingNamed(name), text)).toThrow(reason);
});

test.each([
  ['fast', 'project'],
  ['keepSessionsDays', 'project'],
  ['ui.theme', 'project'],
  ['ui.keys.chat.help', 'project'],
  ['allow.bash', 'global'],
] as const)('%s cannot be saved as %s, and that has a reason', (name, scope) => {
  expect(() => scopeOf(settingNamed(name), scope)).toThrow(/cannot be saved for .+ folder: .+\. Leave --/);
});

test('names that do not exist lead to those that do', () => {
  expect(() => settingNamed('colour')).toThrow(
    /unknown setting "colour": use one of provider, .*ui\.keys\.COMMAND/,
  );
  expect(() => settingNamed('__proto__')).toThrow(/unknown setting/);
  expect(() => settingNamed('ui.keys')).toThrow(/ui\.keys needs a command: .*chat\.help.*login\.open/);
  expect(() => settingNamed('ui.keys.chat.hlp')).toThrow(
    /no command "chat\.hlp": .*chat\.help(?!.*login\.open)/,
  );
});

test('the help names every setting, and every choice', () => {
  for (const { expects, name } of plain) {
    const line = SETTINGS_HELP.split('\n').find((text) =>
      text.trimStart().split('  ')[0]?.split(', ').includes(name),
    );
    expect(line, name).toBeDefined();
    const choices = /^one of (.+)$/.exec(expects)?.[1];
    if (choices !== undefined) expect(line).toContain(choices);
  }
});

describe('the schema', () => {
  const part = z.looseObject({
    properties: z.record(z.string(), z.unknown()),
    additionalProperties: z.literal(false),
  });
  const members = (schema: unknown): Record<string, unknown> => part.parse(schema).properties;
  const top = members(settingsJsonSchema());

  test('knows every setting, and nothing that the program would warn about', () => {
    const { additionalProperties: folder } = z
      .looseObject({ additionalProperties: z.unknown() })
      .parse(top.workspaces);
    for (const { path, scopes } of SETTINGS)
      for (const scope of scopes) {
        let schema = scope === 'global' ? settingsJsonSchema() : folder;
        for (const member of path) {
          expect(Object.keys(members(schema)), path.join('.')).toContain(member);
          schema = members(schema)[member];
        }
      }
  });

  test('has the levels, and each command with what it does', () => {
    expect(top.thinkingLevel).toEqual({
      type: 'string',
      enum: ['default', 'low', 'medium', 'high', 'x_high', 'max'],
    });
    const keys = members(members(top.ui).keys);
    expect(Object.keys(keys)).toEqual(BINDINGS.map(({ id }) => id));
    expect(keys['chat.help']).toMatchObject({ description: 'Show the keys', default: ['f1'] });
  });

  test('may be named by the file', () => {
    const folder = mkdtempSync(join(tmpdir(), 'mt-schema-'));
    const file = join(folder, 'settings.json');
    writeFileSync(file, '{"$schema": "./settings.schema.json", "provider": "demo"}');
    expect(readSettings(file)).toMatchObject({ ok: true, warnings: [] });
    rmSync(folder, { recursive: true });
  });
});

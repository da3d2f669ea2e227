/** `config schema` and `config path`: the settings file for editors and scripts. */
import * as z from 'zod';
import { resolvePaths } from '../../platform/paths.ts';
import { settingsSchema } from '../../platform/settings.ts';
import { BINDINGS } from '../../ui/keys/bindings.ts';
import { thinkingLevel } from '../../wire/catalog.ts';
import { EXIT } from '../flags.ts';

/** Prints the JSON Schema of the settings file. Returns the exit code. */
export function configSchema(): number {
  process.stdout.write(`${JSON.stringify(settingsJsonSchema(), null, 2)}\n`);
  return EXIT.ok;
}

/** Prints where the settings file is, or would be. Returns the exit code. @throws PathError */
export function configPath(): number {
  process.stdout.write(`${resolvePaths(process.env).settingsFile}\n`);
  return EXIT.ok;
}

/**
 * Draft 7, which editors know best. What the program warns about, unknown members, is wrong for an editor; levels and
 * commands stand in the schema although the file may name others, which count for nothing.
 */
export function settingsJsonSchema(): unknown {
  const level = settingsSchema.shape.thinkingLevel.unwrap();
  const keys = settingsSchema.shape.ui.unwrap().shape.keys.unwrap();
  return z.toJSONSchema(settingsSchema, {
    target: 'draft-07',
    io: 'input',
    override: ({ jsonSchema, zodSchema }) => {
      if (isOpen(jsonSchema.additionalProperties)) jsonSchema.additionalProperties = false;
      if (zodSchema === level) jsonSchema.enum = [...thinkingLevel.options];
      if (zodSchema === keys) {
        const value = jsonSchema.additionalProperties;
        if (typeof value !== 'object') return;
        jsonSchema.properties = Object.fromEntries(
          BINDINGS.map(({ id, keys: usual, title }) => [
            id,
            { ...value, description: title, default: [...usual] },
          ]),
        );
        jsonSchema.additionalProperties = false;
        delete jsonSchema.propertyNames;
      }
    },
  });
}

function isOpen(additional: unknown): boolean {
  return typeof additional === 'object' && additional !== null && Object.keys(additional).length === 0;
}

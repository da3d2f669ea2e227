/** How the screen looks and behaves for this user (`ui` in the settings file). */
import * as z from 'zod';

export const uiSettings = z
  .looseObject({
    /** `auto` asks the terminal whether its background is light. */
    theme: z.enum(['auto', 'dark', 'light', 'contrast', 'ansi16', 'none']).optional(),
    /** Keys by command; they replace the ones that the command has. */
    keys: z.record(z.string(), z.union([z.string(), z.array(z.string())])).optional(),
    /** When a turn ends or asks while the terminal is not looked at. `auto` uses what the terminal can show. */
    notify: z.enum(['auto', 'bell', 'off']).optional(),
    /** The title of the window tells the state. */
    title: z.boolean().optional(),
    /** Nothing moves by itself more often than every few seconds. */
    reducedMotion: z.boolean().optional(),
    /** Text is only added, as with `--screen-reader`. */
    screenReader: z.boolean().optional(),
  })
  .optional();

export type UiSettings = NonNullable<z.infer<typeof uiSettings>>;

/** Keys that this version does not know, with the prefix `ui.`. */
export function unknownUiKeys(settings: z.infer<typeof uiSettings>): readonly string[] {
  const known = uiSettings.unwrap().shape;
  return Object.keys(settings ?? {})
    .filter((key) => !Object.hasOwn(known, key))
    .map((key) => `unknown setting ui.${key}`);
}

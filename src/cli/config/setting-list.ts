/** The settings that `config` reads and changes. Pure. */
import * as z from 'zod';
import { settingsSchema } from '../../platform/settings.ts';
import { BINDINGS } from '../../ui/keys/bindings.ts';
import { thinkingLevel } from '../../wire/catalog.ts';
import { selectionId } from '../../wire/fields.ts';
import { UsageError } from '../flags.ts';
import type { Setting } from './setting.ts';

const KEYS = 'ui.keys.';
const NEXT_TURN = 'It holds from the next turn on.';
const NEXT_START = 'It holds from the next start of magi-term.';
const NEXT_LOOK =
  'It holds from the next start of magi-term; an open window takes it when F12 shows its settings.';
/** Where a session can choose for itself. */
const CHOICE = 'It holds from the next turn on; a session that chose for itself keeps its choice.';

const file = settingsSchema.shape;
const ui = file.ui.unwrap().shape;
const allow = file.workspaces.unwrap().valueType.shape.allow.unwrap().shape;
const truth = 'true or false';
const selected = {
  scopes: ['global', 'project'],
  elsewhere: '',
  schema: selectionId,
  expects: 'up to 256 letters, digits and - . _ / :',
  holds: CHOICE,
} as const;
const right = {
  scopes: ['project'],
  elsewhere: 'it is a right of one folder. Leave --global out.',
  expects: truth,
  holds: NEXT_TURN,
} as const;
const yours = {
  scopes: ['global'],
  elsewhere: 'it is about you and your terminal. Leave --project out.',
  expects: truth,
  holds: NEXT_LOOK,
} as const;

const PLAIN: readonly Setting[] = [
  { name: 'provider', path: ['provider'], ...selected },
  { name: 'model', path: ['model'], ...selected },
  {
    name: 'thinkingLevel',
    path: ['thinkingLevel'],
    ...selected,
    schema: thinkingLevel,
    expects: oneOf(thinkingLevel.options),
  },
  {
    name: 'fast',
    path: ['fast'],
    scopes: ['global'],
    elsewhere: 'fast mode is one for all folders. Leave --project out.',
    schema: file.fast.unwrap(),
    expects: truth,
    holds: `${NEXT_TURN} ChatGPT and OpenAI have it, at a higher price; others answer as before.`,
  },
  {
    name: 'keepSessionsDays',
    path: ['keepSessionsDays'],
    scopes: ['global'],
    elsewhere: 'sessions of all folders are kept in one place. Leave --project out.',
    schema: file.keepSessionsDays.unwrap(),
    expects: 'a whole number of days, 1 or more',
    holds: 'It holds from the next start of the service: magi-term daemon stop ends the one that runs.',
  },
  { name: 'allow.bash', path: ['allow', 'bash'], schema: allow.bash.unwrap(), ...right },
  {
    name: 'allow.writeOutside',
    path: ['allow', 'writeOutside'],
    schema: allow.writeOutside.unwrap(),
    ...right,
  },
  {
    name: 'ui.theme',
    path: ['ui', 'theme'],
    ...yours,
    schema: ui.theme.unwrap(),
    expects: oneOf(ui.theme.unwrap().options),
  },
  {
    name: 'ui.notify',
    path: ['ui', 'notify'],
    ...yours,
    schema: ui.notify.unwrap(),
    expects: oneOf(ui.notify.unwrap().options),
  },
  { name: 'ui.title', path: ['ui', 'title'], schema: ui.title.unwrap(), ...yours },
  { name: 'ui.reducedMotion', path: ['ui', 'reducedMotion'], schema: ui.reducedMotion.unwrap(), ...yours },
  {
    name: 'ui.screenReader',
    path: ['ui', 'screenReader'],
    schema: ui.screenReader.unwrap(),
    ...yours,
    holds: NEXT_START,
  },
];

const KEYS_OF_COMMANDS: readonly Setting[] = BINDINGS.map(({ id }) => ({
  name: `${KEYS}${id}`,
  path: ['ui', 'keys', id],
  ...yours,
  schema: z.union([z.string(), z.array(z.string())]),
  expects: 'keys with spaces between them, such as "f1 ctrl+x"; or none',
  read: keysOf,
}));

/** All of them, in the order in which they are listed. */
export const SETTINGS: readonly Setting[] = [...PLAIN, ...KEYS_OF_COMMANDS];

/** No key holds a space: the space itself is called `space`. */
function keysOf(text: string): readonly string[] {
  const keys = text.split(/\s+/).filter((key) => key !== '');
  if (keys.length === 0) throw new UsageError('no key was given: use a key such as f1, or none.');
  return keys.length === 1 && keys[0] === 'none' ? [] : keys;
}

/** The command whose keys a setting holds, or null. */
export function commandOf({ name }: Setting): string | null {
  return name.startsWith(KEYS) ? name.slice(KEYS.length) : null;
}

/** @throws UsageError that names those which exist */
export function settingNamed(name: string): Setting {
  const found = SETTINGS.find((setting) => setting.name === name);
  if (found !== undefined) return found;
  if (`${name}.`.startsWith(KEYS)) throw new UsageError(unknownCommand(name.slice(KEYS.length)));
  const known = PLAIN.map((setting) => setting.name).join(', ');
  throw new UsageError(`unknown setting ${JSON.stringify(name)}: use one of ${known}, ${KEYS}COMMAND.`);
}

/** Names the commands of the same part of the screen, or all. */
function unknownCommand(command: string): string {
  const [part] = command.split('.');
  const near = BINDINGS.filter(({ id }) => id.startsWith(`${part}.`));
  const names = (near.length === 0 ? BINDINGS : near).map(({ id }) => id).join(', ');
  const what =
    command === ''
      ? `${KEYS.slice(0, -1)} needs a command`
      : `there is no command ${JSON.stringify(command)}`;
  return `${what}: use ${KEYS} and one of ${names}.`;
}

function oneOf(choices: readonly string[]): string {
  return `one of ${choices.join(', ')}`;
}

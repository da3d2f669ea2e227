/** The table of keys in the README, made from the list that the program itself uses. */
import { helpTable, type KeyContext } from '../../src/ui/keys/bindings.ts';

const WHERE: Readonly<Record<KeyContext, string>> = {
  chat: 'everywhere',
  question: 'the agent asks',
  composer: 'writing',
  completion: 'choosing a word',
  history: 'finding a sent message',
  transcript: 'reading',
  browse: 'browsing',
  search: 'searching',
  detail: 'in full',
  list: 'lists',
  choice: 'questions',
  login: 'signing in',
  'login-field': 'signing in by hand',
  settings: 'settings',
  activity: 'activity',
  picker: 'choosing',
  help: 'help',
};

const PLACE = /(<!-- keys -->\n)[\s\S]*?(\n<!-- \/keys -->)/;

export function keyTable(): string {
  const rows = helpTable().map(({ context, keys, title }) => `| ${WHERE[context]} | ${keys} | ${title} |`);
  return ['| where | key | what it does |', '| --- | --- | --- |', ...rows].join('\n');
}

/** The README with the table of now. @throws when it has no place for one */
export function withKeyTable(readme: string): string {
  if (!PLACE.test(readme)) throw new Error('the README has no place for the keys');
  return readme.replace(PLACE, (_whole, before: string, after: string) => before + keyTable() + after);
}

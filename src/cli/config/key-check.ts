/** Whether keys can be given to a command, beside those that the user gave to others. */
import type { Settings } from '../../platform/settings.ts';
import { adoptKeys, BINDINGS, helpTable } from '../../ui/keys/bindings.ts';

export interface KeyCheck {
  /** What cannot be done, one sentence each. */
  readonly problems: readonly string[];
  /** What lost a key by it, and what it has left. */
  readonly taken: readonly string[];
}

/** Problems that other commands have already are not told. */
export function checkKeys(settings: Settings, command: string, keys: readonly string[]): KeyCheck {
  const { [command]: _own, ...others } = settings.ui?.keys ?? {};
  const known = adoptKeys(others);
  const before = helpTable();
  const problems = adoptKeys({ ...others, [command]: keys }).filter((problem) => !known.includes(problem));
  const taken = helpTable().flatMap(({ keys: left, title }, index) => {
    const isOther = BINDINGS[index]?.id !== command;
    return isOther && before[index]?.keys !== left
      ? [`Taken from “${title}”, which has ${left === '—' ? 'no key' : left} now.`]
      : [];
  });
  return { problems, taken };
}

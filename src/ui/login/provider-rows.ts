/** Who can answer, how, and since when: the list of providers. */
import { BLANK_ROW, type Row, span } from '../../render/row.ts';
import { sanitiseLine } from '../../render/sanitise.ts';
import { cellWidth } from '../../render/width.ts';
import { textRows } from '../../render/wrap.ts';
import { LOGOUT_LIMITS, providerWords } from '../../store/sign-in-words.ts';
import type { ProviderAuth } from '../../wire/auth.ts';
import { keyName } from '../keys/bindings.ts';
import { bar } from '../rows/bar.ts';
import { type LoginView, selectedAt } from './login-view.ts';

export interface ProviderRows {
  readonly rows: readonly Row[];
  /** The first and the last row of the chosen entry. */
  readonly selected: number;
  readonly selectedEnd: number;
}

/** Below so many columns the margin gives way. */
const NARROW = 60;

/** @param providers null while they are read */
export function providerRows(
  providers: readonly ProviderAuth[] | null,
  login: LoginView,
  width: number,
): ProviderRows {
  const margin = width < NARROW ? ' ' : '   ';
  if (providers === null)
    return { rows: [bar(width, [span(`${margin}reading…`, 'dim')], [])], selected: 0, selectedEnd: 0 };
  const selected = selectedAt(providers, login);
  const names = Math.max(0, ...providers.map(({ provider_id: id }) => cellWidth(sanitiseLine(id))));
  const longest = Math.max(0, ...providers.map((provider) => cellWidth(providerWords(provider))));
  // What is said about each has a row of its own where it would be cut.
  const isTall = margin.length + 2 + names + 2 + longest > width;
  const rows = providers.flatMap((provider, index) => {
    const mark = index === selected ? span(`${margin}› `, 'accent') : span(`${margin}  `, 'text');
    const id = sanitiseLine(provider.provider_id);
    const name = span(id, index === selected ? 'strong' : 'text');
    const state = span(providerWords(provider), provider.ready ? 'good' : 'dim');
    if (isTall) return [bar(width, [mark, name], []), bar(width, [span(`${margin}    `, 'text'), state], [])];
    return [bar(width, [mark, name, span(' '.repeat(names + 2 - cellWidth(id)), 'text'), state], [])];
  });
  const at = {
    selected: isTall ? 2 * selected : selected,
    selectedEnd: isTall ? 2 * selected + 1 : selected,
  };
  const words = (text: string, style: 'warn' | 'text'): readonly Row[] => {
    const indent = [span(`${margin}  `, 'text')];
    return [BLANK_ROW, ...textRows(text, style, width, { first: indent, rest: indent })];
  };
  if (login.leaving !== null) {
    const keys = `${keyName('login.confirm')} signs out, ${keyName('login.deny')} does not.`;
    rows.push(...words(`Sign out of ${sanitiseLine(login.leaving)}? ${LOGOUT_LIMITS} ${keys}`, 'warn'));
  } else if (login.howTo !== '') rows.push(...words(login.howTo, 'text'));
  return { rows, ...at };
}

/** How somebody signs in to a provider that takes a key. @param savesKeys whether this program can save one */
export function keyWords(
  { auth_method, provider_id, ready, source }: ProviderAuth,
  savesKeys: boolean,
): string {
  if (auth_method !== 'api_key') return 'It needs no sign-in.';
  const variable = `${sanitiseLine(provider_id)
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]/g, '_')}_API_KEY`;
  // A service may name the environment also where nothing is set there.
  const isSet = ready && source === 'environment';
  const wins = `Its key comes from ${variable} in the environment of the service, and that wins over a saved one.`;
  const key = keyName('login.key');
  if (!savesKeys) {
    const keeps = 'This service keeps its keys itself: save one with its own program';
    return isSet
      ? `${wins} ${keeps}.`
      : `${keeps}, or set ${variable} in its environment and start it again.`;
  }
  if (isSet) return `${wins} Press ${key} to save one for when it is not set.`;
  return `Press ${key} to save ${ready ? 'another' : 'a'} key: it is read in the terminal, not shown, and never crosses the wire. Or set ${variable} in the environment of the service and start it again.`;
}

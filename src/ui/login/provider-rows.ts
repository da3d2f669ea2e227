/** Who can answer, how, and since when: the list of providers. */
import { BLANK_ROW, type Row, span } from '../../render/row.ts';
import { sanitiseLine } from '../../render/sanitise.ts';
import { cellWidth } from '../../render/width.ts';
import { textRows } from '../../render/wrap.ts';
import { LOGOUT_LIMITS, providerWords } from '../../store/sign-in-words.ts';
import type { ProviderAuth } from '../../wire/auth.ts';
import { keyName } from '../keys/bindings.ts';
import { bar } from '../rows/bar.ts';
import type { LoginView } from './login-view.ts';

const INDENT = { first: [span('     ', 'text')], rest: [span('     ', 'text')] };

/** @param providers null while they are read */
export function providerRows(
  providers: readonly ProviderAuth[] | null,
  login: LoginView,
  width: number,
): readonly Row[] {
  if (providers === null) return [bar(width, [span('   reading…', 'dim')], [])];
  const names = Math.max(0, ...providers.map(({ provider_id: id }) => cellWidth(sanitiseLine(id))));
  const rows: Row[] = providers.map((provider, index) => {
    const mark = index === login.selected ? span('   › ', 'accent') : span('     ', 'text');
    const id = sanitiseLine(provider.provider_id);
    const name = id + ' '.repeat(names + 2 - cellWidth(id));
    const state = providerWords(provider);
    return bar(
      width,
      [
        mark,
        span(name, index === login.selected ? 'strong' : 'text'),
        span(state, provider.ready ? 'good' : 'dim'),
      ],
      [],
    );
  });
  if (login.leaving !== null) {
    const question = `Sign out of ${sanitiseLine(login.leaving)}? ${LOGOUT_LIMITS} ${keyName('login.confirm')} signs out, ${keyName('login.deny')} does not.`;
    rows.push(BLANK_ROW, ...textRows(question, 'warn', width, INDENT));
  } else if (login.howTo !== '') rows.push(BLANK_ROW, ...textRows(login.howTo, 'text', width, INDENT));
  return rows;
}

/** How somebody signs in to a provider that takes a key; empty where nothing is needed. */
export function keyWords({ auth_method, provider_id, source }: ProviderAuth): string {
  if (auth_method !== 'api_key') return 'It needs no sign-in.';
  const id = sanitiseLine(provider_id);
  const variable = `${id.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_')}_API_KEY`;
  if (source === 'environment')
    return `Its key comes from ${variable} in the environment of the service, and that wins over a saved one.`;
  return `Press ${keyName('login.key')} to save a key: it is read in the terminal, not shown, and never crosses the wire. Or set ${variable} in the environment and start the service again.`;
}

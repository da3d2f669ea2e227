/** The screen of settings. A list that is open stands above the keys; what the last change came to stands above both. */
import { type Row, span } from '../../render/row.ts';
import { sanitiseLine } from '../../render/sanitise.ts';
import { textRows } from '../../render/wrap.ts';
import type { CatalogProgress } from '../../store/catalog.ts';
import { heldModel } from '../../store/saved-settings.ts';
import { SCOPE_WORDS } from '../../store/settings-words.ts';
import type { State } from '../../store/state.ts';
import { type Frame, fitRows } from '../frame.ts';
import { type CommandId, keyName } from '../keys/bindings.ts';
import { pickerRows } from '../pickers/picker-rows.ts';
import { bar } from '../rows/bar.ts';
import { hintsThatFit } from '../rows/hints.ts';
import { type SettingsInput, settingsRows } from '../settings/settings-rows.ts';
import type { View } from '../view.ts';

export interface SettingsScreenInput extends Omit<SettingsInput, 'settings'> {
  readonly view: View;
  /** Monotonic time, ms. */
  readonly monotonic: number;
}

/** From so many rows on there is air around the title. */
const ROOMY_ROWS = 20;
const MAX_SAID_ROWS = 4;
const INDENT = { first: [span(' ', 'text')], rest: [span(' ', 'text')] };

export function settingsFrame(input: SettingsScreenInput): Frame {
  const { state, view } = input;
  const { columns, rows: height } = view.size;
  const title = titleRow(input, columns);
  const air = height >= ROOMY_ROWS ? 1 : 0;
  const head = [title, ...fitRows([], air)];
  const said = saidRows(input, columns);
  // A list says by itself what to press.
  const keys = view.picker === null ? [keysRow(view, columns)] : [];
  const fixed = head.length + said.length + keys.length;
  const list =
    view.picker === null ? null : pickerRows(view.picker, state, columns, Math.max(2, height - fixed - 3));
  const room = Math.max(0, height - fixed - (list?.rows.length ?? 0));
  const body = settingsRows({ ...input, settings: view.settings }, columns);
  const last = Math.max(0, body.rows.length - room);
  // The chosen entry stays in sight, and what stands around it.
  const top = Math.max(0, Math.min(last, body.selected - Math.floor(room / 2)));
  const above: Row[] = [...head, ...fitRows(body.rows.slice(top, top + room), room), ...said];
  const rows = [...above, ...(list?.rows ?? []), ...keys].slice(0, height);
  const caret = list === null ? null : { x: list.caret.column, y: above.length + list.caret.row };
  return { rows: fitRows(rows, height), cursor: caret };
}

/** The most needed first. */
function keysRow({ settings }: View, columns: number): Row {
  const other = settings.scope === 'project' ? 'settings.global' : 'settings.project';
  const keys: readonly CommandId[] = [
    'settings.back',
    'settings.accept',
    'settings.next',
    other,
    'settings.refresh',
    'settings.forget',
    'settings.edit',
  ];
  return bar(columns, [span(` ${hintsThatFit(keys, columns - 1)}`, 'dim')], []);
}

function titleRow({ state, view }: SettingsScreenInput, columns: number): Row {
  const { scope } = view.settings;
  const more = scope === 'project' ? ', wins over every folder' : '';
  const left = [span(' Settings', 'strong'), span(` · ${SCOPE_WORDS[scope]}${more}`, 'dim')];
  const right = catalogWords(state, view);
  return bar(columns, left, columns >= 60 && right !== '' ? [span(`${right} `, 'dim')] : []);
}

/** What the list of models is worth, or what goes on with it. */
function catalogWords(state: State, { now, settings }: View): string {
  const { catalog, config } = state;
  if (catalog.progress !== null) return progressWords(catalog.progress, now);
  const id = heldModel(state, settings.scope).value?.provider_id ?? config?.selection.provider_id;
  const provider = catalog.providers.find((entry) => entry.id === id);
  if (provider === undefined || provider.reason !== '') return '';
  switch (provider.list) {
    case 'fresh':
      return `${countOf(provider.models.length)}, fresh`;
    case 'stale':
      return `list is old: ${keyName('settings.refresh')} asks again`;
    case 'unavailable':
      return `no list: ${keyName('settings.refresh')} asks for it`;
  }
}

function countOf(models: number): string {
  return models === 1 ? '1 model' : `${models} models`;
}

function progressWords({ doing, models, providerId, since }: CatalogProgress, now: number): string {
  const id = sanitiseLine(providerId);
  const seconds = Math.max(0, Math.floor((now - since) / 1_000));
  const clock = seconds === 0 ? '' : ` ${seconds} s`;
  if (doing === 'asking') return `asking ${id} for its models…${clock}`;
  if (id === '') return `reading who there is…${clock}`;
  return `reading ${id}…${models === 0 ? '' : ` ${countOf(models)}`}${clock}`;
}

/** The newest thing that has to be said: a passing word, what a change came to, why a list could not be read. */
function saidRows({ monotonic, state, view }: SettingsScreenInput, columns: number): Row[] {
  const { catalog, settings } = state;
  const hint = view.hint !== null && view.hint.until >= monotonic ? view.hint.text : null;
  const said = settings.said;
  const [text, tone] =
    hint !== null
      ? ([hint, 'warn'] as const)
      : settings.pending !== null
        ? (['saving…', 'dim'] as const)
        : said !== null
          ? ([said.text, said.tone === 'warn' ? 'warn' : 'good'] as const)
          : catalog.state === 'failed' && view.picker === null
            ? ([`The models could not be read. ${catalog.failure}`, 'warn'] as const)
            : (['', 'dim'] as const);
  return text === '' ? [] : textRows(sanitiseLine(text), tone, columns, INDENT).slice(0, MAX_SAID_ROWS);
}

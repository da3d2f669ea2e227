/** What can be set on the settings screen, in its order. Pure data, and the values that the interface's own settings have. */
import type { UiSettings } from '../../platform/ui-settings.ts';

/** Of the service. */
export type ServiceEntry = 'provider' | 'model' | 'thinking' | 'fast';
/** Of this program. */
export type UiEntry = 'theme' | 'notify' | 'title' | 'reducedMotion' | 'screenReader';
export type EntryId = ServiceEntry | UiEntry | 'keys';

export interface Entry {
  readonly id: EntryId;
  readonly label: string;
  /** For narrow screens: at most nine cells. */
  readonly short: string;
}

export const ENTRIES: readonly Entry[] = [
  { id: 'provider', label: 'Provider', short: 'Provider' },
  { id: 'model', label: 'Model', short: 'Model' },
  { id: 'thinking', label: 'Thinking', short: 'Thinking' },
  { id: 'fast', label: 'Fast', short: 'Fast' },
  { id: 'theme', label: 'Colours', short: 'Colours' },
  { id: 'notify', label: 'Notifications', short: 'Notify' },
  { id: 'title', label: 'Window title', short: 'Title' },
  { id: 'reducedMotion', label: 'Less motion', short: 'Calm' },
  { id: 'screenReader', label: 'Screen reader', short: 'Reader' },
  { id: 'keys', label: 'Keys', short: 'Keys' },
];

export function isUiEntry(id: EntryId): id is UiEntry {
  return Object.hasOwn(UI_VALUES, id);
}

interface UiValue {
  /** Value of the setting. */
  readonly value: string | boolean;
  readonly label: string;
  /** What it does. */
  readonly detail: string;
}

/** The first value of each is what holds when nothing is set. */
export const UI_VALUES: Readonly<Record<UiEntry, readonly UiValue[]>> = {
  theme: [
    { value: 'auto', label: 'auto', detail: 'dark or light, as the terminal is' },
    { value: 'dark', label: 'dark', detail: 'for a dark background' },
    { value: 'light', label: 'light', detail: 'for a light background' },
    { value: 'contrast', label: 'contrast', detail: 'stronger, as the terminal is' },
    { value: 'ansi16', label: 'ansi16', detail: 'the sixteen of the terminal' },
    { value: 'none', label: 'none', detail: 'no colours' },
  ],
  notify: [
    { value: 'auto', label: 'auto', detail: 'a message if it can, else the bell' },
    { value: 'bell', label: 'bell', detail: 'the bell when a turn ends or asks' },
    { value: 'off', label: 'off', detail: 'nothing when a turn ends or asks' },
  ],
  title: [
    { value: true, label: 'on', detail: 'says if the agent works or asks' },
    { value: false, label: 'off', detail: 'stays as it is' },
  ],
  reducedMotion: [
    { value: false, label: 'off', detail: 'text flows, clocks tick' },
    { value: true, label: 'on', detail: 'text comes in steps, clocks are slow' },
  ],
  screenReader: [
    { value: false, label: 'off', detail: 'a full screen' },
    { value: true, label: 'on', detail: 'text is only added' },
  ],
};

/** The one that holds. */
export function uiValue(id: UiEntry, settings: UiSettings): UiValue {
  const values = UI_VALUES[id];
  const held = values.find(({ value }) => value === settings[id]) ?? values[0];
  if (held === undefined) throw new Error(`${id} has no values`);
  return held;
}

/** The setting with the next value, or the one before. */
export function steppedUi(id: UiEntry, settings: UiSettings, by: 1 | -1): Partial<UiSettings> {
  const values = UI_VALUES[id];
  const at = values.indexOf(uiValue(id, settings));
  const next = values[(at + by + values.length) % values.length];
  return { [id]: next?.value };
}

/** What only this window knows of the settings screen. */
import type { Scope } from '../../store/saved-settings.ts';
import type { EntryId } from './entries.ts';

export interface SettingsView {
  readonly selected: EntryId;
  /** Where changes of provider, model and thinking are saved. */
  readonly scope: Scope;
}

export const INITIAL_SETTINGS_VIEW: SettingsView = { selected: 'provider', scope: 'global' };

/**
 * The settings of the interface while the program runs (`ui` in the settings file).
 * Invariants: what holds is what could last be read or written; a file that cannot be understood is never written
 * over, and says where it is wrong.
 */

import { readSettings, type SettingsWrite, updateSettings } from '../../platform/settings.ts';
import { settingsFailure } from '../../platform/settings-failure.ts';
import type { UiSettings } from '../../platform/ui-settings.ts';
import { Store } from '../../store/store.ts';
import { adoptKeys } from '../keys/bindings.ts';

export interface PreferencesState {
  readonly settings: UiSettings;
  /** Why the file cannot be used, with file, line and reason; empty when it can. */
  readonly trouble: string;
  /** What of the user's own keys could not be done, one sentence each. */
  readonly keyProblems: readonly string[];
}

export class Preferences {
  /** Absolute. */
  readonly file: string;
  readonly state: Store<PreferencesState>;

  constructor(file: string, settings: UiSettings) {
    this.file = file;
    const keyProblems = adoptKeys(settings.keys ?? {});
    this.state = new Store({ settings, trouble: '', keyProblems }, (run) => run());
  }

  /** Takes what the file says now: somebody may have written it by hand. */
  reread(): void {
    this.#take(readSettings(this.file));
  }

  /** Changes and keeps some of them; where they cannot be kept nothing changes. */
  change(part: Partial<UiSettings>): void {
    this.#take(updateSettings(this.file, (settings) => ({ ...settings, ui: { ...settings.ui, ...part } })));
  }

  #take(outcome: SettingsWrite): void {
    if (!outcome.ok) {
      const trouble = settingsFailure(outcome.error);
      this.state.update((state) => ({ ...state, trouble }));
      return;
    }
    const settings = outcome.settings.ui ?? {};
    const keyProblems = adoptKeys(settings.keys ?? {});
    this.state.update(() => ({ settings, trouble: '', keyProblems }));
  }
}

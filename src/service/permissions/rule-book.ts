/**
 * The rules of one workspace in the user's settings file, read at every question and written by "always"
 * (PROTOCOL.md, "Session profile"). People may edit them by hand at any time: what they do not touch survives.
 */
import { readSettings, type Settings, updateSettings } from '../../platform/settings.ts';
import type { Log } from '../log.ts';
import type { ToolPolicy } from './plain.ts';

export interface Rules {
  readonly workspace: string;
  readonly allow: readonly string[];
  readonly deny: readonly string[];
  readonly policy: ToolPolicy;
}

export class RuleBook {
  readonly #file: string;
  readonly #workspace: string;
  readonly #log: Log;

  constructor(settingsFile: string, workspace: string, log: Log) {
    this.#file = settingsFile;
    this.#workspace = workspace;
    this.#log = log;
  }

  /** Null when the file cannot be read: then nothing is allowed, for it may forbid. */
  read(): Rules | null {
    const read = readSettings(this.#file);
    if (read.ok) return rulesOf(read.settings, this.#workspace);
    this.#log.warn('the rules cannot be read', { reason: read.error.reason });
    return null;
  }

  /** Adds rules that allow. A file that cannot be written is logged: the answer holds for this once. */
  add(rules: readonly string[]): void {
    if (rules.length === 0) return;
    const written = updateSettings(this.#file, (settings) => withRules(settings, this.#workspace, rules));
    if (!written.ok) this.#log.warn('a rule could not be written', { reason: written.error.reason });
  }
}

function rulesOf(settings: Settings, workspace: string): Rules {
  const { allow, permissions } = settings.workspaces?.[workspace] ?? {};
  return {
    workspace,
    allow: permissions?.allow ?? [],
    deny: permissions?.deny ?? [],
    policy: { bash: allow?.bash ?? false, writeOutside: allow?.writeOutside ?? false },
  };
}

function withRules(settings: Settings, workspace: string, rules: readonly string[]): Settings {
  const own = settings.workspaces?.[workspace] ?? {};
  const allow = [...new Set([...(own.permissions?.allow ?? []), ...rules])];
  const permissions = { ...own.permissions, allow };
  return { ...settings, workspaces: { ...settings.workspaces, [workspace]: { ...own, permissions } } };
}

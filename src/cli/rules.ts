/** `rules`: what tools may always do in this folder, as the answers "always" have written it (PROTOCOL.md, "Session profile"). */
import { readSettings, type Settings, updateSettings } from '../platform/settings.ts';
import { settingsFailure } from '../platform/settings-failure.ts';
import { sanitiseLine } from '../render/sanitise.ts';
import { EXIT, type GlobalFlags, placeOf } from './flags.ts';

/** Prints the rules, one a line: `allow` or `deny`, then the rule. Returns the exit code. */
export function rulesList(flags: GlobalFlags): number {
  const { settingsFile, workspace } = placeOf(flags);
  const read = readSettings(settingsFile);
  if (!read.ok) return fail(settingsFailure(read.error));
  const { allow, deny } = rulesOf(read.settings, workspace);
  for (const rule of allow) process.stdout.write(`allow  ${sanitiseLine(rule)}\n`);
  for (const rule of deny) process.stdout.write(`deny   ${sanitiseLine(rule)}\n`);
  return EXIT.ok;
}

/** Takes a rule away, wherever it stands. Returns the exit code. */
export function rulesRemove(flags: GlobalFlags, rule: string): number {
  const { settingsFile, workspace } = placeOf(flags);
  const read = readSettings(settingsFile);
  if (!read.ok) return fail(settingsFailure(read.error));
  const { allow, deny } = rulesOf(read.settings, workspace);
  if (![...allow, ...deny].includes(rule))
    return fail(`there is no rule ${sanitiseLine(rule)} for ${workspace}: "magi-term rules" lists them.`);
  const written = updateSettings(settingsFile, (settings) => without(settings, workspace, rule));
  return written.ok ? EXIT.ok : fail(settingsFailure(written.error));
}

function rulesOf(
  settings: Settings,
  workspace: string,
): { allow: readonly string[]; deny: readonly string[] } {
  const permissions = settings.workspaces?.[workspace]?.permissions;
  return { allow: permissions?.allow ?? [], deny: permissions?.deny ?? [] };
}

function without(settings: Settings, workspace: string, rule: string): Settings {
  const own = settings.workspaces?.[workspace] ?? {};
  const { allow, deny } = rulesOf(settings, workspace);
  const permissions = {
    ...own.permissions,
    allow: allow.filter((other) => other !== rule),
    deny: deny.filter((other) => other !== rule),
  };
  return { ...settings, workspaces: { ...settings.workspaces, [workspace]: { ...own, permissions } } };
}

function fail(text: string): number {
  process.stderr.write(`magi-term: ${text}\n`);
  return EXIT.failed;
}

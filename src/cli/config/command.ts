/** The `config` commands on the command line. What they do is loaded when they run. */
import { type Command, Option } from 'commander';
import type { ScopeFlags } from './config.ts';

/** Shown below `config --help` and that of its commands. */
export const SETTINGS_HELP = `
Settings:
  provider, model     who answers; "set model PROVIDER/MODEL" sets both
  thinkingLevel       default, low, medium, high, x_high, max
  fast                true, false (for every folder)
  keepSessionsDays    after so many quiet days a session goes (for every folder)
  allow.bash          true: commands run unasked (for this folder)
  allow.writeOutside  true: other folders are written unasked (for this folder)
  ui.theme            auto, dark, light, contrast, ansi16, none
  ui.notify           auto, bell, off
  ui.title            true, false: the title of the window tells the state
  ui.reducedMotion    true, false
  ui.screenReader     true, false
  ui.keys.COMMAND     keys such as "f1 ctrl+x", or none

What is saved for this folder counts before what is saved for every folder,
and the environment (MAGI_TERM_PROVIDER, MAGI_TERM_MODEL) before both.
With --service or --socket, provider, model, thinkingLevel and fast are those
of that service.`;

export function addConfig(root: Command): void {
  const config = root
    .command('config')
    .description('read and change settings')
    .addHelpText('after', SETTINGS_HELP);
  addGet(config);
  addSet(config);
  addUnset(config);
  config
    .command('schema')
    .description('print the JSON Schema of the settings file, for editors')
    .action(async () => {
      const { configSchema } = await import('./schema.ts');
      process.exitCode = configSchema();
    });
  config
    .command('path')
    .description('print where the settings file is')
    .action(async () => {
      const { configPath } = await import('./schema.ts');
      process.exitCode = configPath();
    });
}

function addGet(config: Command): void {
  withScope(config.command('get'), 'what is saved')
    .description('print one setting, or all that are saved; of two, the one that counts')
    .argument('[key]', 'one of the settings')
    .option('--json', 'as JSON: one value, or an object')
    .addHelpText('after', SETTINGS_HELP)
    .action(async (key: string | undefined, own: ScopeFlags & { json?: boolean }, command: Command) => {
      const { configGet } = await import('./config.ts');
      process.exitCode = await configGet(command.optsWithGlobals(), key, own);
    });
}

function addSet(config: Command): void {
  withScope(config.command('set'), 'save it')
    .description('save a setting, for every folder unless it is a right of this one')
    .argument('<key>', 'one of the settings')
    .argument('<value>', 'what to save')
    .option('--provider <id>', 'with model: whose model it is')
    .addHelpText('after', SETTINGS_HELP)
    .action(async (key: string, value: string, own: ScopeFlags & { provider?: string }, command: Command) => {
      const { configSet } = await import('./config.ts');
      process.exitCode = await configSet(command.optsWithGlobals(), key, value, own);
    });
}

function addUnset(config: Command): void {
  withScope(config.command('unset'), 'take it away')
    .description('take settings away, so that what is behind them counts')
    .argument('<keys...>', 'some of the settings')
    .addHelpText('after', SETTINGS_HELP)
    .action(async (keys: readonly string[], own: ScopeFlags, command: Command) => {
      const { configUnset } = await import('./config.ts');
      process.exitCode = await configUnset(command.optsWithGlobals(), keys, own);
    });
}

/** @param what what is done there, behind which the place is named */
function withScope(command: Command, what: string): Command {
  return command
    .addOption(new Option('--project', `${what} for this folder`).conflicts('global'))
    .addOption(new Option('--global', `${what} for every folder`));
}

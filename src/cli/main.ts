/** The front door: reads the command line and hands over to one file per command. Commands load what they need when they run. */
import { Command, CommanderError, Option } from 'commander';
import { VERSION } from '../platform/version.ts';
import { EXIT, type GlobalFlags, UsageError } from './flags.ts';

/** Runs the program and sets the exit code. Never throws. */
export async function main(argv: readonly string[] = process.argv): Promise<void> {
  try {
    await program().parseAsync([...argv]);
  } catch (error) {
    process.exitCode = report(error);
  }
}

function program(): Command {
  const root = new Command('magi-term')
    .description('Chat with a coding agent from the terminal.')
    .version(VERSION, '--version', 'print the version')
    .addOption(new Option('--workspace <dir>', 'folder to work in').default('.', 'the current folder'))
    .option('--state-root <dir>', 'where sessions and logs are kept')
    .option('--session <id>', 'session to open: an ID, last or new', 'new')
    .option('--service <path>', 'use this magi-code instead of the embedded service: an absolute path')
    .option('--socket <path>', 'join the service behind this socket; none is started')
    .option('--no-color', 'no colours')
    .exitOverride()
    .showHelpAfterError('See magi-term --help.')
    .configureOutput({ writeErr: (text) => process.stderr.write(text) })
    .action(async (flags: GlobalFlags) => {
      const { chat } = await import('./chat.ts');
      process.exitCode = await chat(flags);
    });
  addDaemon(root);
  addConfig(root);
  addRules(root);
  return root;
}

function addDaemon(root: Command): void {
  const daemon = root.command('daemon').description('start, ask and stop the service of a folder');
  for (const [name, description] of DAEMON_ACTIONS) {
    daemon
      .command(name)
      .description(description)
      .addOption(new Option('--detached').hideHelp())
      .action(async (_own: unknown, command: Command) => {
        const { daemonCommand } = await import('./daemon.ts');
        process.exitCode = await daemonCommand(name, command.optsWithGlobals());
      });
  }
}

const DAEMON_ACTIONS = [
  ['start-or-connect', 'start the service, or find the one that runs'],
  ['status', 'say whether a service runs'],
  ['stop', 'stop the service when it is idle'],
  ['foreground', 'run the service here'],
] as const;

function addConfig(root: Command): void {
  const config = root.command('config').description('read and change settings');
  config
    .command('get')
    .description('print the settings of this folder')
    .argument('[key]', 'one of them')
    .action(async (key: string | undefined, _own: unknown, command: Command) => {
      const { configGet } = await import('./config.ts');
      process.exitCode = configGet(command.optsWithGlobals(), key);
    });
  config
    .command('set')
    .description('change a setting; allow.bash and allow.writeOutside hold for this folder only')
    .argument('<key>')
    .argument('<value>')
    .action(async (key: string, value: string, _own: unknown, command: Command) => {
      const { configSet } = await import('./config.ts');
      process.exitCode = configSet(command.optsWithGlobals(), key, value);
    });
}

function addRules(root: Command): void {
  const rules = root
    .command('rules')
    .description('list what tools may always do in this folder')
    .action(async (_own: unknown, command: Command) => {
      const { rulesList } = await import('./rules.ts');
      process.exitCode = rulesList(command.optsWithGlobals());
    });
  rules
    .command('remove')
    .description('take a rule away, as the list shows it')
    .argument('<rule>')
    .action(async (rule: string, _own: unknown, command: Command) => {
      const { rulesRemove } = await import('./rules.ts');
      process.exitCode = rulesRemove(command.optsWithGlobals(), rule);
    });
}

function report(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  if (error instanceof UsageError) {
    process.stderr.write(`magi-term: ${error.message}\n`);
    return EXIT.usage;
  }
  process.stderr.write(`magi-term: ${error instanceof Error ? error.message : String(error)}\n`);
  return EXIT.failed;
}

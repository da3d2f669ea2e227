/** The front door: reads the command line and hands over to one file per command. Commands load what they need when they run. */
import { Command, CommanderError, Option } from 'commander';
import { VERSION } from '../platform/version.ts';
import { addConfig } from './config/command.ts';
import { EXIT, type GlobalFlags, UsageError } from './flags.ts';

/** Runs the program and sets the exit code. Never throws. */
export async function main(argv: readonly string[] = process.argv): Promise<void> {
  if (!process.stdout.isTTY) process.stdout.on('error', endWithReader);
  try {
    await program().parseAsync([...argv]);
  } catch (error) {
    process.exitCode = report(error);
  }
}

/** Whoever read the output has gone: nobody is left to tell anything. */
function endWithReader(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
  process.exit(EXIT.ok);
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
    .option('--screen-reader', 'text is only added: no frames, no boxes, lines instead of keys')
    .option('--no-color', 'no colours')
    .exitOverride()
    .showHelpAfterError('See magi-term --help.')
    .configureOutput({ writeErr: (text) => process.stderr.write(text) })
    .action(async (flags: GlobalFlags, command: Command) => {
      refuseUnknown(command);
      const { chat } = await import('./chat.ts');
      process.exitCode = await chat(flags);
    });
  addDaemon(root);
  addConfig(root);
  addRules(root);
  addSigningIn(root);
  // Commands below would inherit it if it were said before them.
  return root.allowExcessArguments();
}

/**
 * For a command that does something by itself and has commands below it: what it does not know is no argument too many
 * but a command that does not exist. A parser that knows the names only says so, with the nearest.
 * @throws CommanderError
 */
function refuseUnknown(command: Command): void {
  if (command.args.length === 0) return;
  const names = new Command(command.name()).copyInheritedSettings(command);
  for (const known of command.commands) names.command(known.name());
  names.parse([...command.args], { from: 'user' });
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

function addRules(root: Command): void {
  const rules = root
    .command('rules')
    .description('list what tools may always do in this folder')
    .action(async (_own: unknown, command: Command) => {
      refuseUnknown(command);
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
  rules.allowExcessArguments();
}

function addSigningIn(root: Command): void {
  root
    .command('login')
    .description('sign in; works without a full screen, also over ssh')
    .argument('[provider]', 'whom to sign in to', 'openai-codex')
    .option('--no-browser', 'open no browser')
    .option('--print-url', 'print the link alone on stdout and open no browser')
    .action(async (provider: string, own: { browser: boolean; printUrl?: boolean }, command: Command) => {
      const { login } = await import('./login.ts');
      const options = { noBrowser: !own.browser, printUrl: own.printUrl === true };
      process.exitCode = await login(command.optsWithGlobals(), provider, options);
    });
  root
    .command('logout')
    .description('remove what is stored of a provider: a sign-in or a key')
    .argument('<provider>')
    .action(async (provider: string, _own: unknown, command: Command) => {
      const { logout } = await import('./auth.ts');
      process.exitCode = await logout(command.optsWithGlobals(), provider);
    });
  root
    .command('auth')
    .description('who is signed in')
    .command('status')
    .description('list the providers and whether they can answer')
    .option('--json', 'as one JSON array')
    .action(async (own: { json?: boolean }, command: Command) => {
      const { authStatus } = await import('./auth.ts');
      process.exitCode = await authStatus(command.optsWithGlobals(), own.json === true ? 'json' : 'text');
    });
  root
    .command('models')
    .description('list what can answer')
    .option('--refresh', 'ask the providers anew')
    .option('--json', 'as one JSON array')
    .action(async (own: { refresh?: boolean; json?: boolean }, command: Command) => {
      const { models } = await import('./models.ts');
      process.exitCode = await models(command.optsWithGlobals(), {
        lists: own.refresh === true ? 'refresh' : 'cached',
        format: own.json === true ? 'json' : 'text',
      });
    });
  root
    .command('key')
    .description('keys of the embedded service')
    .command('set')
    .description('save a key; it is read without being shown, from the terminal or a pipe')
    .argument('<provider>')
    .action(async (provider: string, _own: unknown, command: Command) => {
      const { keySet } = await import('./daemon-key.ts');
      process.exitCode = await keySet(command.optsWithGlobals(), provider);
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

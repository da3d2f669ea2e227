/** The whole program on a terminal: a home, a workspace and a state folder of its own, and a service that ends with the test. */
import { execFile } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { endpointPaths } from '../../src/platform/paths.ts';
import { serviceKey } from '../../src/wire/identity.ts';
import { discardFolder, keepOutput, registerKeys } from '../secrets/ledger.ts';
import type { ModelApi } from './model-server.ts';
import { type PtyProgram, startPty } from './pty.ts';

const run = promisify(execFile);
const BIN = resolve(import.meta.dirname, '../../bin/magi-term.js');

export interface HomeOptions {
  /** Written to the settings file as it is. */
  readonly settings?: unknown;
  readonly env?: Readonly<Record<string, string>>;
}

export interface StartOptions {
  readonly args?: readonly string[];
  readonly cols?: number;
  readonly rows?: number;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** What the terminal says about its background, as `#rrggbb`; null for one that does not say. */
  readonly background?: string | null;
  /** Hears every piece of output as it comes. */
  readonly onOutput?: (bytes: Buffer) => void;
}

export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** One user on one machine, as far as the program can tell. */
export class AppHome {
  readonly root: string;
  readonly workspace: string;
  readonly state: string;
  readonly settingsFile: string;
  readonly #env: Record<string, string>;
  readonly #programs: PtyProgram[] = [];

  constructor({ settings, env = {} }: HomeOptions = {}) {
    this.root = realpathSync(mkdtempSync(join(tmpdir(), 'magi-term-test-')));
    this.workspace = join(this.root, 'project');
    this.state = join(this.root, 'state');
    this.settingsFile = join(this.state, 'settings.json');
    for (const folder of [this.workspace, this.state]) mkdirSync(folder, { mode: 0o700 });
    if (settings !== undefined) writeFileSync(this.settingsFile, JSON.stringify(settings));
    registerKeys(env);
    this.#env = {
      ...env,
      HOME: this.root,
      MAGI_TERM_HOME: this.state,
      NODE_COMPILE_CACHE: join(tmpdir(), 'magi-term-test-cache'),
    };
  }

  /** The program in its workspace on a pseudo-terminal. */
  start({
    args = [],
    cols = 100,
    rows = 30,
    env = {},
    background = '#101418',
    onOutput,
  }: StartOptions = {}): PtyProgram {
    const program = startPty({
      command: process.execPath,
      args: [BIN, ...args],
      cwd: this.workspace,
      cols,
      rows,
      background,
      env: { ...CLEAN, ...this.#env, ...env },
      ...(onOutput === undefined ? {} : { onOutput }),
    });
    this.#programs.push(program);
    return program;
  }

  /** A command without a terminal, to its end. @param input what a pipe brings; absent leaves the pipe open */
  async command(
    args: readonly string[],
    env: Readonly<Record<string, string>> = {},
    input?: string,
  ): Promise<Outcome> {
    const options = { cwd: this.workspace, env: { ...process.env, ...CLEAN, ...this.#env, ...env } };
    const running = run(process.execPath, [BIN, ...args], options);
    if (input !== undefined) running.child.stdin?.on('error', () => undefined).end(input);
    const outcome = await running.then(
      ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
      ({ code, stdout, stderr }: Outcome) => ({ code, stdout, stderr }),
    );
    keepOutput('command', outcome.stdout + outcome.stderr);
    return outcome;
  }

  /** Everything that services have logged. */
  serviceLog(): string {
    const folder = join(this.state, 'logs');
    return readdirSync(folder)
      .map((name) => readFileSync(join(folder, name), 'utf8'))
      .join('');
  }

  /** The process ID of the service that was started last, as its log tells it. */
  servicePid(): number {
    const folder = join(this.state, 'logs');
    const lines = readdirSync(folder).flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n'));
    const last = lines.findLast((line) => line.includes('service ready')) ?? '{}';
    const { pid } = JSON.parse(last) as { pid?: number };
    if (pid === undefined) throw new Error('no service has started yet');
    return pid;
  }

  async dispose(): Promise<void> {
    for (const program of this.#programs) await program.dispose();
    for (let tries = 0; tries < 40; tries += 1) {
      const { code, stderr } = await this.command(['daemon', 'stop']);
      if (code === 0 || !stderr.includes('busy')) break;
      await new Promise((done) => setTimeout(done, 100));
    }
    // The program never removes its lock; these folders never come back, so the test does.
    rmSync(endpointPaths(serviceKey(this.workspace, this.state)).lock, { force: true });
    discardFolder(this.root);
  }
}

/** No key and no setting of whoever runs the tests reaches the program. */
const CLEAN: Readonly<Record<string, string>> = {
  ANTHROPIC_API_KEY: '',
  OPENAI_API_KEY: '',
  OPENAI_BASE_URL: '',
  ANTHROPIC_BASE_URL: '',
  NO_COLOR: '',
};

/** Settings that let a loopback model server answer. */
export function answeredBy(url: string, api: ModelApi = 'openai-completions'): unknown {
  const baseUrl = api === 'openai-completions' ? `${url}/v1` : url;
  return {
    provider: 'loopback',
    model: 'test-1',
    providers: { loopback: { label: 'Loopback', baseUrl, api } },
  };
}

/** One real daemon with folders of its own, a child of the test: it is ended by its process ID and reaped here. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { HelloOptions } from '../../src/client/hello.ts';
import { serviceKey } from '../../src/wire/identity.ts';
import type { ServiceIdentity } from '../../src/wire/preflight.ts';
import { discardFolder } from '../secrets/ledger.ts';
import { RawPeer } from './raw-peer.ts';
import { DAEMON_VERSION, PROGRAM_VARIABLE } from './terms.ts';

/** @throws when the suite was not started by its launcher */
export function daemonProgram(): string {
  const program = process.env[PROGRAM_VARIABLE];
  if (program === undefined) throw new Error('Start these tests with: npm run test:interop');
  return program;
}

/** Nobody listens there. */
const NOWHERE = 'http://127.0.0.1:1';

/** A workspace and a state root below a private folder. */
export class Home {
  readonly root = realpathSync(mkdtempSync(join(tmpdir(), 'home-')));
  readonly identity: ServiceIdentity = this.workspaceBeside('project');
  /** All there is of a way out of the machine. */
  proxy = NOWHERE;

  constructor(settings: unknown) {
    mkdirSync(this.identity.stateRoot);
    this.settings(JSON.stringify(settings));
  }

  /** Writes the settings file as it is. */
  settings(text: string): void {
    writeFileSync(join(this.identity.stateRoot, 'settings.json'), text);
  }

  /** A file in the workspace. */
  write(name: string, text: string): void {
    writeFileSync(join(this.identity.workspace, name), text);
  }

  /** Takes away what sessions were written to. */
  loseSessions(): void {
    const sessions = join(this.identity.stateRoot, 'sessions');
    renameSync(sessions, `${sessions}-lost`);
    // An absent folder would be made anew.
    writeFileSync(sessions, '');
  }

  /** Another workspace with the same state. */
  workspaceBeside(name: string): ServiceIdentity {
    const workspace = join(this.root, name);
    mkdirSync(workspace);
    return { workspace, stateRoot: join(this.root, 'state') };
  }

  /** Everything that the daemon looks at; no way out of the machine, and none that swallows what is sent. */
  get env(): Readonly<Record<string, string>> {
    return {
      PATH: process.env.PATH ?? '',
      HOME: this.root,
      MC_HOME: this.identity.stateRoot,
      TMPDIR: this.root,
      HTTPS_PROXY: this.proxy,
      https_proxy: this.proxy,
      NO_PROXY: '127.0.0.1,localhost',
      no_proxy: '127.0.0.1,localhost',
    };
  }

  remove(): void {
    discardFolder(this.root);
  }
}

/** What `openConnection` needs to find a daemon. */
export function endpointOf(identity: ServiceIdentity): HelloOptions {
  const directory = `/tmp/magi-${process.geteuid?.()}`;
  const socket = join(directory, `${serviceKey(identity.workspace, identity.stateRoot)}.sock`);
  return { directory, socket, identity, version: DAEMON_VERSION };
}

/** What a daemon leaves behind on purpose: nothing of it is needed after a test. */
export function removeEndpoint({ socket }: HelloOptions): void {
  for (const path of [socket, socket.replace(/\.sock$/, '.lock')]) rmSync(path, { force: true });
}

export class Daemon {
  readonly endpoint: HelloOptions;
  /** Exit code, or the signal's name. */
  readonly ended: Promise<number | string>;
  readonly #child: ChildProcess;

  constructor(home: Home, identity: ServiceIdentity) {
    const { workspace, stateRoot } = identity;
    const args = ['daemon', 'foreground', '--workspace', workspace, '--state-root', stateRoot];
    this.endpoint = endpointOf(identity);
    this.#child = spawn(daemonProgram(), args, { cwd: workspace, env: home.env, stdio: 'ignore' });
    this.ended = once(this.#child, 'exit').then(([code, signal]) => code ?? signal);
  }

  /** It answers when the promise resolves. */
  async ready(): Promise<void> {
    while (!(await this.#isReady())) {
      const { exitCode, signalCode } = this.#child;
      if (exitCode !== null || signalCode !== null)
        throw new Error(`the daemon ended: ${exitCode ?? signalCode}`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  /** It does nothing more, and what is sent to it waits. */
  freeze(): void {
    this.#child.kill('SIGSTOP');
  }

  /** Ends it as a crash would. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.ended;
  }

  /** As somebody asks on the command line. What it printed. */
  command(name: 'status' | 'stop'): Promise<string> {
    return daemonCommand(name, this.endpoint.identity);
  }

  async #isReady(): Promise<boolean> {
    try {
      const peer = await RawPeer.connect(this.endpoint);
      peer.hello({ action: 'status' });
      await peer.ended;
      return peer.records.some(({ status }) => status === 'ready');
    } catch {
      return false;
    }
  }
}

const execute = promisify(execFile);

/** @throws with `stderr` and `code` of the program */
export async function daemonCommand(name: 'status' | 'stop', identity: ServiceIdentity): Promise<string> {
  const { workspace, stateRoot } = identity;
  const args = ['daemon', name, '--workspace', workspace, '--state-root', stateRoot];
  return (await execute(daemonProgram(), args, { cwd: dirname(workspace) })).stdout;
}

/**
 * Real service processes with a workspace and a state folder of their own.
 * Invariant: every process that was started here is ended by its own process ID, and leaves nothing behind.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { askService, type HelloOptions } from '../../src/client/hello.ts';
import { type EndpointPaths, endpointPaths } from '../../src/platform/paths.ts';
import { VERSION } from '../../src/platform/version.ts';
import { serviceKey } from '../../src/wire/identity.ts';
import { discardFolder } from '../secrets/ledger.ts';

const BIN = resolve(import.meta.dirname, '../../bin/magi-term.js');
const READY_MS = 20_000;
const READY_STEP_MS = 5;

/** Makes the command line of a service that serves this home. */
export type Command = (home: ServiceHome) => readonly [string, ...string[]];

export const theProgram: Command = ({ state, workspace }) => [
  process.execPath,
  BIN,
  ...['daemon', 'foreground', '--workspace', workspace, '--state-root', state],
];

export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export class ServiceProcess {
  readonly pid: number;
  readonly ended: Promise<Ending>;
  readonly #child: ChildProcess;
  #stderr = '';
  #isRunning = true;

  constructor(child: ChildProcess) {
    if (child.pid === undefined) throw new Error('the service could not be started');
    this.pid = child.pid;
    this.#child = child;
    child.stderr?.on('data', (chunk) => {
      this.#stderr += String(chunk);
    });
    this.ended = once(child, 'close').then(([code, signal]) => {
      this.#isRunning = false;
      return { code, signal };
    });
  }

  get isRunning(): boolean {
    return this.#isRunning;
  }

  get stderr(): string {
    return this.#stderr;
  }

  /** Sends the signal and waits for the end. */
  async end(signal: NodeJS.Signals): Promise<Ending> {
    if (this.#isRunning) this.#child.kill(signal);
    return this.ended;
  }

  /** Resident memory in MB: now, or at its peak. */
  megabytes(which: 'VmRSS' | 'VmHWM' = 'VmRSS'): number {
    const found = new RegExp(`^${which}:\\s+(\\d+) kB$`, 'm').exec(
      readFileSync(`/proc/${this.pid}/status`, 'utf8'),
    );
    return Math.round(Number(found?.[1]) / 1024);
  }

  /** From now on the peak is counted anew. */
  forgetPeak(): void {
    writeFileSync(`/proc/${this.pid}/clear_refs`, '5');
  }
}

export interface HomeOptions {
  /** Written to the settings file as it is. */
  readonly settings?: unknown;
  readonly env?: Readonly<Record<string, string>>;
}

export class ServiceHome {
  readonly root = realpathSync(mkdtempSync(join(tmpdir(), 'magi-term-fault-')));
  readonly workspace = join(this.root, 'project');
  readonly state = join(this.root, 'state');
  readonly #env: Readonly<Record<string, string>>;
  readonly #processes: ServiceProcess[] = [];

  constructor({ env = {}, settings = { provider: 'demo', model: 'demo-1' } }: HomeOptions = {}) {
    this.#env = env;
    for (const folder of [this.workspace, this.state]) mkdirSync(folder, { mode: 0o700 });
    writeFileSync(join(this.root, 'settings.json'), JSON.stringify(settings));
  }

  get endpoint(): EndpointPaths {
    return endpointPaths(serviceKey(this.workspace, this.state));
  }

  /** What a client needs to come here. */
  get hello(): HelloOptions {
    const identity = { workspace: this.workspace, stateRoot: this.state };
    return { ...this.endpoint, identity, version: VERSION };
  }

  /** A session's file. */
  file(sessionId: string): string {
    return join(this.state, 'sessions', `${sessionId}.jsonl`);
  }

  /** Starts a process and does not wait for anything. */
  spawn(command: Command = theProgram): ServiceProcess {
    const [program, ...args] = command(this);
    const child = spawn(program, args, {
      cwd: this.workspace,
      stdio: ['ignore', 'ignore', 'pipe'],
      env: {
        PATH: process.env.PATH,
        LANG: 'C.UTF-8',
        HOME: this.root,
        // Settings stand beside the state, which some tests fill up or take away.
        MAGI_TERM_HOME: this.root,
        NODE_COMPILE_CACHE: join(tmpdir(), 'magi-term-test-cache'),
        ...this.#env,
      },
    });
    const service = new ServiceProcess(child);
    this.#processes.push(service);
    return service;
  }

  /** Starts a service and waits until it answers. */
  async start(command: Command = theProgram): Promise<ServiceProcess> {
    const service = this.spawn(command);
    const deadline = performance.now() + READY_MS;
    while (!(await this.answers())) {
      if (!service.isRunning) throw new Error(`the service ended: ${service.stderr}`);
      if (performance.now() > deadline) throw new Error('the service does not answer');
      await sleep(READY_STEP_MS);
    }
    return service;
  }

  /** Whether a service answers here. */
  async answers(): Promise<boolean> {
    try {
      return (await askService(this.hello, 'status')).status === 'ready';
    } catch {
      return false;
    }
  }

  async dispose(): Promise<void> {
    await Promise.all(this.#processes.map((service) => service.end('SIGKILL')));
    // Services never remove their lock; these folders never come back, so the test does.
    for (const path of [this.endpoint.lock, this.endpoint.socket]) rmSync(path, { force: true });
    discardFolder(this.root);
  }
}

/** One service of either kind, with folders and a model of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { HelloOptions } from '../../src/client/hello.ts';
import { endpointPaths } from '../../src/platform/paths.ts';
import { serviceKey } from '../../src/wire/identity.ts';
import type { ServiceIdentity } from '../../src/wire/preflight.ts';
import { Daemon, Home, removeEndpoint } from '../interop/daemon.ts';
import { RawPeer } from '../interop/raw-peer.ts';
import { DAEMON_VERSION } from '../interop/terms.ts';
import { type ModelServer, startModelServer } from '../support/model-server.ts';
import { type Abyss, openAbyss } from './abyss.ts';
import { PIECE_LETTERS, scriptFor } from './model.ts';

export type Kind = 'real' | 'ours';

export const PROVIDER = 'loopback';
export const MODEL = 'scripted-1';

const OWN_PROGRAM = new URL('./own-service.ts', import.meta.url).pathname;

/** A process that serves. */
interface Program {
  readonly endpoint: HelloOptions;
  ready(): Promise<void>;
  kill(): Promise<void>;
}

export class Service {
  readonly kind: Kind;
  readonly home: Home;
  readonly goodSettings: string;
  readonly #model: ModelServer;
  readonly #program: Program;
  readonly #abyss: Abyss | null;
  #beside: Program | null = null;

  private constructor(kind: Kind, model: ModelServer, abyss: Abyss | null) {
    this.kind = kind;
    this.#model = model;
    this.#abyss = abyss;
    const settings = settingsOf[kind](`${model.url}/v1`);
    this.goodSettings = JSON.stringify(settings);
    this.home = new Home(settings);
    this.home.write('note.txt', 'the answer is forty-two\n');
    if (abyss !== null) this.home.proxy = abyss.url;
    this.#program = programOf(kind, this.home, this.home.identity);
  }

  /** @param swallowed whether what is sent out of the machine gets no answer */
  static async start(kind: Kind, swallowed = false): Promise<Service> {
    const model = await startModelServer({
      script: scriptFor(kind),
      models: [MODEL],
      chunkChars: PIECE_LETTERS,
    });
    const service = new Service(kind, model, swallowed ? await openAbyss() : null);
    await service.#program.ready();
    return service;
  }

  readonly allowCommands = (): void => {
    if (this.kind === 'real') return;
    const workspaces = { [this.home.identity.workspace]: { allow: { bash: true } } };
    this.home.settings(JSON.stringify({ ...JSON.parse(this.goodSettings), workspaces }));
  };

  get endpoint(): HelloOptions {
    return this.#program.endpoint;
  }

  /** Another service of the same kind, with the same state and another workspace. */
  async beside(): Promise<HelloOptions> {
    this.#beside ??= programOf(this.kind, this.home, this.home.workspaceBeside('other'));
    await this.#beside.ready();
    return this.#beside.endpoint;
  }

  async close(): Promise<void> {
    for (const program of [this.#program, this.#beside]) {
      if (program === null) continue;
      await program.kill();
      removeEndpoint(program.endpoint);
    }
    await this.#model.close();
    await this.#abyss?.close();
    this.home.remove();
  }
}

function programOf(kind: Kind, home: Home, identity: ServiceIdentity): Program {
  return kind === 'real' ? new Daemon(home, identity) : new OwnService(home, identity);
}

/** The same provider, as each of them is told of it. */
const settingsOf: Readonly<Record<Kind, (baseUrl: string) => unknown>> = {
  real: (base_url) => ({
    schema_version: 2,
    agent: { model: { provider: PROVIDER, model: MODEL } },
    providers: { custom: { [PROVIDER]: { label: 'Loopback', base_url, extra_models: [MODEL] } } },
  }),
  ours: (baseUrl) => ({
    provider: PROVIDER,
    model: MODEL,
    providers: { [PROVIDER]: { label: 'Loopback', baseUrl, api: 'openai-completions' } },
  }),
};

/** Our service as a process. */
class OwnService implements Program {
  readonly endpoint: HelloOptions;
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;

  constructor(home: Home, identity: ServiceIdentity) {
    const { workspace, stateRoot } = identity;
    const { directory, socket } = endpointPaths(serviceKey(workspace, stateRoot));
    this.endpoint = { directory, socket, identity, version: DAEMON_VERSION };
    const env = {
      PATH: process.env.PATH,
      HOME: home.root,
      TMPDIR: home.root,
      // The real one exchanges codes by its proxy, and has the usual port.
      MAGI_TERM_OAUTH_TOKEN_ENDPOINT: home.proxy,
      MAGI_TERM_OAUTH_CALLBACK_PORT: '0',
    };
    const args = [OWN_PROGRAM, workspace, stateRoot, join(stateRoot, 'settings.json'), DAEMON_VERSION];
    this.#child = spawn(process.execPath, args, { cwd: workspace, env, stdio: 'ignore' });
    this.#ended = once(this.#child, 'exit');
  }

  async ready(): Promise<void> {
    while (!(await answers(this.endpoint))) {
      const { exitCode, signalCode } = this.#child;
      if (exitCode !== null || signalCode !== null)
        throw new Error(`our service ended: ${exitCode ?? signalCode}`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#ended;
  }
}

async function answers(endpoint: HelloOptions): Promise<boolean> {
  try {
    const peer = await RawPeer.connect(endpoint);
    peer.hello({ action: 'status' });
    await peer.ended;
    return peer.records.some(({ status }) => status === 'ready');
  } catch {
    return false;
  }
}

/** What a test needs around it: a daemon, a model on loopback that it asks, clients. Everything ends with the test. */
import { afterEach } from 'vitest';
import { type Connection, openConnection } from '../../src/client/connection.ts';
import { type ControlledSession, claimSession } from '../../src/client/session-control.ts';
import type { ServiceIdentity } from '../../src/wire/preflight.ts';
import { type ModelScript, type ModelServer, startModelServer } from '../support/model-server.ts';
import { Daemon, Home, removeEndpoint } from './daemon.ts';
import { PIECE_LETTERS } from './model.ts';
import { RawPeer } from './raw-peer.ts';

export const PROVIDER = 'loopback';
export const MODEL = 'scripted-1';

/** Repeats what it is told. */
const echo: ModelScript = ({ lastUser }) => [{ text: `You said: ${lastUser}` }];

/** The settings of a daemon whose model is at this address. */
function askedAt(url: string): unknown {
  const custom = { label: 'Loopback', base_url: `${url}/v1`, extra_models: [MODEL] };
  return {
    schema_version: 2,
    agent: { model: { provider: PROVIDER, model: MODEL } },
    providers: { custom: { [PROVIDER]: custom } },
  };
}

export class Scene {
  readonly home: Home;
  readonly model: ModelServer;
  readonly #daemons: Daemon[] = [];
  readonly #connections: Connection[] = [];
  readonly #peers: RawPeer[] = [];

  private constructor(model: ModelServer) {
    this.model = model;
    this.home = new Home(askedAt(model.url));
  }

  static async open(script: ModelScript): Promise<Scene> {
    return new Scene(await startModelServer({ script, models: [MODEL], chunkChars: PIECE_LETTERS }));
  }

  /** The one that serves `home` at present. */
  get daemon(): Daemon {
    const daemon = this.#daemons.at(-1);
    if (daemon === undefined) throw new Error('no daemon was started');
    return daemon;
  }

  async startDaemon(identity: ServiceIdentity = this.home.identity): Promise<Daemon> {
    const daemon = new Daemon(this.home, identity);
    this.#daemons.push(daemon);
    await daemon.ready();
    return daemon;
  }

  async connect(daemon: Daemon = this.daemon): Promise<Connection> {
    const connection = await openConnection(daemon.endpoint);
    this.#connections.push(connection);
    return connection;
  }

  /** @param make of `RawPeer`: how far it gets */
  async peer(make: (endpoint: Daemon['endpoint']) => Promise<RawPeer> = RawPeer.welcomed): Promise<RawPeer> {
    const peer = await make(this.daemon.endpoint);
    this.#peers.push(peer);
    return peer;
  }

  /** A connection that controls a new session. */
  async control(): Promise<{ connection: Connection; session: ControlledSession }> {
    const connection = await this.connect();
    const { session_id } = await connection.request('session.create', {});
    return { connection, session: await claimSession(connection, session_id) };
  }

  /** A file in the workspace. */
  write(name: string, text: string): void {
    this.home.write(name, text);
  }

  async close(): Promise<void> {
    for (const connection of this.#connections) connection.close();
    for (const peer of this.#peers) await peer.close();
    for (const daemon of this.#daemons) {
      await daemon.kill();
      removeEndpoint(daemon.endpoint);
    }
    await this.model.close();
    this.home.remove();
  }
}

/** For one test file: opens scenes with a running daemon, each of which is closed after its test. */
export function scenes(): (script?: ModelScript) => Promise<Scene> {
  const opened: Scene[] = [];
  afterEach(async () => {
    for (const scene of opened.splice(0)) await scene.close();
  });
  return async (script = echo) => {
    const scene = await Scene.open(script);
    opened.push(scene);
    await scene.startDaemon();
    return scene;
  };
}

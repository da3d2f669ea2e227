/**
 * The connection to one server. Invariants: it is made when it is first needed and kept; at most one is being made;
 * after a failure nothing is tried until a pause has passed, which grows; a server that ended is started anew by
 * whoever needs it next; once closed it stays closed.
 */
import { type CallToolResult, Client, type Transport } from '@modelcontextprotocol/client';
import type { McpServer } from '../../platform/mcp-settings.ts';
import { VERSION } from '../../platform/version.ts';
import { unlessAborted } from '../abortable.ts';
import { oneLine } from '../tools/tool.ts';
import { messageOf } from '../turn.ts';
import { type Endpoint, endpointOf, secretsOf } from './endpoint.ts';
import { lossOf, McpFailure, startFailure } from './failure.ts';
import { httpTransport } from './http-transport.ts';
import { type ListedTool, listedTool, MAX_TOOLS } from './listed-tool.ts';
import { striking } from './secrets.ts';
import { createServerLog, type ServerLog } from './server-log.ts';
import { StdioTransport } from './stdio-transport.ts';

export interface ConnectionOptions {
  readonly name: string;
  readonly server: McpServer;
  readonly workspace: string;
  readonly env: NodeJS.ProcessEnv;
  readonly log: (line: string) => void;
  /** A clock in ms. */
  readonly now: () => number;
}

interface Live {
  readonly client: Client;
  readonly log: ServerLog;
  readonly since: number;
  tools: readonly ListedTool[];
  /** The server said that its tools are others now. */
  isStale: boolean;
  /** Asked for its tools every time: whether it is still there, only a request tells. */
  readonly isAsked: boolean;
}

const START_MS = 30_000;
const CALL_MS = 60_000;
/** For a list of tools that is known already. */
const RELIST_MS = 5_000;
/** Pauses after the first, second, … failure in a row, in ms. */
const PAUSES_MS = [5_000, 30_000, 120_000, 300_000] as const;
/** A server that worked this long had no failure before. */
const STEADY_MS = 60_000;

export class McpConnection {
  readonly #options: ConnectionOptions;
  readonly #closing = new AbortController();
  readonly #clean: (text: string) => string;
  #live: Live | null = null;
  #starting: Promise<Live> | null = null;
  #failures = 0;
  #notBefore = Number.NEGATIVE_INFINITY;
  #lastFailure: McpFailure | null = null;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#clean = striking(secretsOf(options.server, options.env));
  }

  /** What went wrong last, also when it is over. */
  get lastFailure(): McpFailure | null {
    return this.#lastFailure;
  }

  /** The server's tools as they are now. @throws McpFailure */
  async tools(): Promise<readonly ListedTool[]> {
    const live = await this.#connected();
    if (!live.isStale && !live.isAsked) return live.tools;
    try {
      live.isStale = false;
      live.tools = await listTools(live.client, Math.min(this.#startMs, RELIST_MS), live.log);
      return live.tools;
    } catch (error) {
      live.isStale = true;
      live.log.note(`its tools could not be listed again: ${messageOf(error)}`);
      const loss = lossOf(error);
      // What was known is better than nothing, and is asked for again.
      if (loss === null) return live.tools;
      this.#lose(live, loss);
      return (await this.#connected()).tools;
    }
  }

  /** @throws McpFailure when the server is not there, and whatever else the call fails with */
  async call(tool: string, args: Record<string, unknown>, signal: AbortSignal): Promise<CallToolResult> {
    const live = await unlessAborted(this.#connected(), signal);
    try {
      const result = await live.client.callTool(
        { name: tool, arguments: args },
        { signal, timeout: this.callMs },
      );
      this.#failures = 0;
      return result;
    } catch (error) {
      signal.throwIfAborted();
      const loss = lossOf(error);
      throw loss === null ? error : this.#lose(live, loss);
    }
  }

  /** Longest wait for the result of a call, in ms. */
  get callMs(): number {
    return this.#options.server.timeoutMs ?? CALL_MS;
  }

  get #startMs(): number {
    return this.#options.server.timeoutMs ?? START_MS;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    const live = this.#live ?? (await this.#starting?.catch(() => null)) ?? null;
    this.#live = null;
    await live?.client.close();
  }

  async #connected(): Promise<Live> {
    if (this.#live !== null) return this.#live;
    if (this.#starting === null && this.#lastFailure !== null && this.#options.now() < this.#notBefore)
      throw this.#lastFailure;
    this.#starting ??= this.#start().finally(() => {
      this.#starting = null;
    });
    return this.#starting;
  }

  async #start(): Promise<Live> {
    const { env, name, server, workspace } = this.#options;
    try {
      if (this.#closing.signal.aborted) throw new McpFailure('it is not used any more', 'closed');
      const endpoint = endpointOf(server, workspace, env);
      const log = createServerLog(name, this.#clean, this.#options.log);
      const live = await this.#open(endpoint, log);
      this.#live = live;
      return live;
    } catch (error) {
      throw this.#failed(startFailure(error, this.#startMs), PAUSES_MS[0]);
    }
  }

  async #open(endpoint: Endpoint, log: ServerLog): Promise<Live> {
    const transport = transportTo(endpoint, log);
    const client = new Client(
      { name: 'magi-term', version: VERSION },
      {
        // Servers at an address are asked which revision they speak; programs may choke on the question.
        versionNegotiation: { mode: endpoint.kind === 'address' ? 'auto' : 'legacy' },
        listChanged: { tools: { autoRefresh: false, onChanged: () => changed() } },
      },
    );
    const isAsked = endpoint.kind === 'address';
    const live: Live = { client, log, since: this.#options.now(), tools: [], isStale: false, isAsked };
    const changed = (): void => {
      live.isStale = true;
    };
    client.onerror = (error) => log.note(error.message);
    client.onclose = () => {
      if (this.#live === live)
        this.#lose(live, new McpFailure('it ended by itself', 'the connection was closed'));
    };
    const deadline = AbortSignal.timeout(this.#startMs);
    const signal = AbortSignal.any([deadline, this.#closing.signal]);
    try {
      await orAborted(client.connect(transport, { timeout: this.#startMs, signal }), signal);
      live.tools = await orAborted(listTools(client, this.#startMs, log), signal);
      return live;
    } catch (error) {
      await transport.close();
      throw error;
    }
  }

  /** The connection is of no use any more. */
  #lose(live: Live, failure: McpFailure): McpFailure {
    if (this.#live !== live) return this.#lastFailure ?? failure;
    this.#live = null;
    if (this.#options.now() - live.since >= STEADY_MS) this.#failures = 0;
    void live.client.close().catch((error) => live.log.note(messageOf(error)));
    return this.#failed(failure, 0);
  }

  /** @param firstPause in ms, when this is the first failure in a row */
  #failed(failure: McpFailure, firstPause: number): McpFailure {
    const { log, name, now } = this.#options;
    const pause = this.#failures === 0 ? firstPause : (PAUSES_MS[this.#failures] ?? PAUSES_MS[3]);
    this.#failures += 1;
    this.#notBefore = now() + pause;
    this.#lastFailure = failure;
    if (!this.#closing.signal.aborted)
      log(`MCP server ${name}: ${failure.words} (${oneLine(this.#clean(failure.message))})`);
    return failure;
  }
}

function transportTo(endpoint: Endpoint, log: ServerLog): Transport {
  if (endpoint.kind === 'program') return new StdioTransport(endpoint.program, log.stderr);
  return httpTransport(endpoint.url, endpoint.headers);
}

async function listTools(client: Client, timeout: number, log: ServerLog): Promise<readonly ListedTool[]> {
  const { tools } = await client.listTools(undefined, { timeout, cacheMode: 'refresh' });
  const listed = tools.map(listedTool).filter((tool) => tool !== null);
  if (listed.length < tools.length)
    log.note(`${tools.length - listed.length} tools cannot be offered to models`);
  if (listed.length > MAX_TOOLS) log.note(`it has ${listed.length} tools; ${MAX_TOOLS} of them are used`);
  return listed.slice(0, MAX_TOOLS);
}

/** Not every wait of the SDK ends with the signal. */
async function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  work.catch(() => undefined);
  aborted.catch(() => undefined);
  return Promise.race([work, aborted]);
}

import { connect } from 'node:net';
import { fetchModelList } from './model-list.ts';

/** Servers that run models on this machine, with the ports they use by default. */
const LOCAL_SERVERS = [
  { id: 'ollama', label: 'Ollama', port: 11434 },
  { id: 'lm-studio', label: 'LM Studio', port: 1234 },
  { id: 'llama.cpp', label: 'llama.cpp', port: 8080 },
  { id: 'vllm', label: 'vLLM', port: 8000 },
] as const;

export type LocalServerId = (typeof LOCAL_SERVERS)[number]['id'];

/** The names that servers of this machine are found under. */
export function discoveredServerIds(): readonly LocalServerId[] {
  return LOCAL_SERVERS.map(({ id }) => id);
}

/** A server that was found; `baseUrl` fits an `openai-completions` provider without a key. */
export interface LocalServer {
  readonly id: LocalServerId;
  readonly label: string;
  readonly baseUrl: string;
  /** Ids of the models that it offers; may be empty. */
  readonly models: readonly string[];
}

export interface DiscoverOptions {
  /** Other ports than the default ones. */
  readonly ports?: Partial<Record<LocalServerId, number>>;
  /** For each probe, in ms; 300 by default. */
  readonly timeoutMs?: number;
}

const PROBE_TIMEOUT_MS = 300;

/** Asks the usual loopback ports for models, all at once. Silent and odd servers are left out. Never rejects. */
export async function discoverLocalServers(
  signal: AbortSignal,
  options: DiscoverOptions = {},
): Promise<readonly LocalServer[]> {
  const timeoutMs = options.timeoutMs ?? PROBE_TIMEOUT_MS;
  const found = await Promise.all(
    LOCAL_SERVERS.map(async ({ id, label, port }): Promise<LocalServer | null> => {
      const chosen = options.ports?.[id] ?? port;
      const baseUrl = `http://127.0.0.1:${chosen}/v1`;
      try {
        if (!(await isListening(chosen, timeoutMs))) return null;
        const models = await fetchModelList(baseUrl, { signal, timeoutMs });
        return { id, label, baseUrl, models: models.map((model) => model.id) };
      } catch {
        return null;
      }
    }),
  );
  return found.filter((server) => server !== null);
}

/** A bare connection first: the HTTP client costs several MB, and mostly nobody is there. */
function isListening(port: number, timeoutMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', timeout: timeoutMs });
    const settle = (listens: boolean): void => {
      socket.destroy();
      resolve(listens);
    };
    socket.once('connect', () => settle(true));
    socket.once('error', () => settle(false));
    socket.once('timeout', () => settle(false));
  });
}

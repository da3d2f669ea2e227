/** What a service is made of, put together once. */
import type { AgentRuntime } from '../agent/runtime.ts';
import { AuthOperations } from './auth/auth-operations.ts';
import { AuthStore } from './auth/auth-store.ts';
import { CodexCredentials } from './auth/codex-credentials.ts';
import type { Clock } from './clock.ts';
import { Catalog } from './config/catalog.ts';
import { Configuration } from './config/configuration.ts';
import { type Discover, Providers } from './config/providers.ts';
import { SettingsOperations } from './config/settings-operations.ts';
import { Actors } from './coordinator/actors.ts';
import { Dispatcher } from './coordinator/dispatcher.ts';
import { OperationTable } from './coordinator/operation-table.ts';
import type { Identity } from './endpoint/handshake.ts';
import type { Log } from './log.ts';
import { RuleBook } from './permissions/rule-book.ts';
import { AttachmentStore } from './profile/attachment-store.ts';
import { ProfileOperations } from './profile/profile-operations.ts';
import { SessionRollups } from './profile/session-rollup.ts';
import { ToolOutputs } from './profile/tool-outputs.ts';
import type { SessionFolder } from './sessions/session-folder.ts';
import { SessionOperations } from './sessions/session-operations.ts';
import { TurnOperations } from './turns/turn-operations.ts';
import { Turns } from './turns/turns.ts';

export interface PartsOptions extends Identity {
  readonly settingsFile: string;
  readonly env: NodeJS.ProcessEnv;
  readonly runtime: AgentRuntime;
  readonly discover: Discover;
  /** What would confine commands in this folder; null or absent when nothing can. Asked once, when somebody wants to know. */
  readonly sandboxKind?: (workspace: string) => string | null;
  readonly clock: Clock;
  readonly log: Log;
}

export interface Host {
  readonly instanceId: string;
  /** Is told whenever work comes or goes. */
  readonly changed: () => void;
  /** Protocol connections, initialized or not. */
  readonly clients: () => number;
}

export interface Parts {
  readonly actors: Actors;
  readonly table: OperationTable;
  readonly turns: Turns;
  readonly auth: AuthOperations;
  readonly providers: Providers;
  readonly dispatcher: Dispatcher;
}

export function assemble(options: PartsOptions, folder: SessionFolder, host: Host): Parts {
  const { clock, discover, env, log, runtime, settingsFile, stateRoot } = options;
  const { workspace } = options;
  const { changed, clients, instanceId } = host;
  const sandboxKind = once(() => options.sandboxKind?.(workspace) ?? null);
  const pathOf = (id: string): string => folder.path(id);
  const table = new OperationTable(clock, changed);
  const rollups = new SessionRollups(pathOf);
  const actors = new Actors({ instanceId, folder, rollups, clock, released: changed });
  const store = new AuthStore(stateRoot);
  const providers = new Providers(env, discover, clock, store);
  const catalog = new Catalog(runtime, providers, clock, log);
  const codex = new CodexCredentials({ store, env, clock, log });
  const configuration = new Configuration({ settingsFile, workspace, env, providers, catalog, codex, log });
  const common = { actors, folder, rollups, workspace, clock, log };
  const attachments = new AttachmentStore(stateRoot, workspace);
  const outputs = new ToolOutputs(pathOf, log);
  const book = new RuleBook(settingsFile, workspace, log);
  const turns = new Turns({ ...common, runtime, book, attachments, outputs });
  const isProvider = (id: string): boolean => providers.find(configuration.read() ?? {}, id) !== null;
  const auth = new AuthOperations({ instanceId, store, env, isProvider, clock, log });
  const dispatcher = new Dispatcher({
    instanceId,
    identity: options,
    table,
    sessions: new SessionOperations(common),
    turns: new TurnOperations(actors, turns, configuration, attachments),
    settings: new SettingsOperations(configuration, providers, catalog),
    auth,
    profile: new ProfileOperations({ ...common, attachments, outputs, configuration, sandboxKind }),
    configuration,
    clients,
    log,
  });
  return { actors, table, turns, auth, providers, dispatcher };
}

function once<T>(find: () => T): () => T {
  let found: { readonly value: T } | null = null;
  return () => {
    found ??= { value: find() };
    return found.value;
  };
}

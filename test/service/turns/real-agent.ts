/** The agent of the program, and a scripted model server for it, in a service on a real socket. */
import { writeFileSync } from 'node:fs';
import { createAgentRuntime } from '../../../src/agent/create-runtime.ts';
import type { TurnRequest } from '../../../src/agent/runtime.ts';
import { type ModelServer, type ModelServerOptions, startModelServer } from '../../support/model-server.ts';
import {
  type Held,
  op,
  type Rec,
  ScriptedAgent,
  startWorld,
  type WireClient,
  type World,
} from '../harness.ts';

/** The agent of the program, in the place of the scripted one. */
export class RealAgent extends ScriptedAgent {
  readonly #real = createAgentRuntime({ timing: { retryDelaysMs: [] } });

  override startTurn(request: TurnRequest) {
    const turn = this.#real.startTurn(request);
    async function* events() {
      yield* turn.events;
    }
    return { events: events(), abort: () => turn.abort(), steer: (text: string) => turn.steer(text) };
  }

  override listModels(...args: Parameters<ReturnType<typeof createAgentRuntime>['listModels']>) {
    return this.#real.listModels(...args);
  }
}

export interface RealWorld {
  readonly world: World;
  readonly server: ModelServer;
  close(): Promise<void>;
}

/** @param model that every turn uses */
export async function startRealWorld(
  model: string,
  api: 'anthropic-messages' | 'openai-completions',
  options: ModelServerOptions,
): Promise<RealWorld> {
  const server = await startModelServer({ models: [model], ...options });
  const world = await startWorld({ agent: new RealAgent(), env: {} });
  const baseUrl = api === 'openai-completions' ? `${server.url}/v1` : server.url;
  const providers = { box: { label: 'Box', baseUrl, api } };
  writeFileSync(world.settingsFile, JSON.stringify({ provider: 'box', model, providers }));
  return {
    world,
    server,
    close: async () => {
      await world.close();
      await server.close();
    },
  };
}

/** One turn to its end; its terminal. */
export async function turn(client: WireClient, held: Held, payload: object): Promise<Rec> {
  const slots = { operation_id: op(), session_id: held.session, control: held.control };
  const { error, payload: accepted } = await client.ask('turn.start', payload, slots);
  if (error !== null) throw new Error(JSON.stringify(error));
  return (await client.event('turn.terminal', ({ turn_id }) => turn_id === accepted.turn_id)).payload;
}

import { type AgentRuntimeOptions, type AgentTiming, DEFAULT_TIMING } from './options.ts';
import type { AgentRuntime, ModelInfo, ProviderSpec } from './runtime.ts';
import type { ToolHost } from './tools/setting.ts';
import { startTurn } from './turn.ts';

/**
 * Makes the agent. Invariant: importing this file loads no model SDK and no tool; the first turn does.
 */
export function createAgentRuntime(options: AgentRuntimeOptions = {}): AgentRuntime {
  const timing: AgentTiming = { ...DEFAULT_TIMING, ...options.timing };
  const log = options.log ?? (() => {});
  /** What servers said about their models, by address and model id; replaced with every list. */
  const known = new Map<string, ReadonlyMap<string, ModelInfo>>();
  const moreTools = options.moreTools ?? (async () => []);
  const host: ToolHost = {
    env: { ...(options.env ?? process.env) },
    sandboxes: new Map(),
    moreTools,
    log,
  };

  return {
    startTurn(request) {
      const { provider } = request;
      if (provider.api === 'demo') {
        return startTurn(async (io) => {
          const { runDemoTurn } = await import('./demo/run-demo.ts');
          await runDemoTurn(request, io, { host, chunkMs: timing.demoChunkMs });
        });
      }
      return startTurn(async (io) => {
        const { runProviderTurn } = await import('./provider/run-turn.ts');
        const model = known.get(addressOf(provider))?.get(request.modelId);
        await runProviderTurn(request, io, { provider, known: model, host, timing, log });
      });
    },

    async listModels(provider, signal) {
      if (provider.api === 'demo') {
        const { DEMO_MODELS } = await import('./demo/model.ts');
        return DEMO_MODELS;
      }
      const { listProviderModels } = await import('./provider/list-models.ts');
      const models = await listProviderModels(provider, signal);
      known.set(addressOf(provider), new Map(models.map((model) => [model.id, model])));
      return models;
    },
  };
}

function addressOf(provider: Exclude<ProviderSpec, { api: 'demo' }>): string {
  return `${provider.api} ${provider.baseUrl ?? ''}`;
}

import { homedir } from 'node:os';
import { TurnFailure } from '../failure.ts';
import type { AgentTiming } from '../options.ts';
import { projectInstructions } from '../project-instructions.ts';
import type { TurnRequest } from '../runtime.ts';
import { createTaskTool } from '../subagents.ts';
import { systemPrompt } from '../system-prompt.ts';
import { type ToolHost, toolSetting } from '../tools/setting.ts';
import { toolsFor } from '../tools/toolbox.ts';
import type { TurnIo } from '../turn.ts';
import { type NetworkProvider, type ServerModel, sdkModel } from './catalogue.ts';
import { createCompaction } from './compaction.ts';
import { loadImages, seesImages } from './images.ts';
import { type Agent, type ModelAccess, runLoop } from './loop.ts';

const MAX_REQUESTS = 200;
const MAX_SUBAGENT_REQUESTS = 50;

export interface ProviderTurnOptions {
  readonly provider: NetworkProvider;
  readonly known: ServerModel | undefined;
  readonly host: ToolHost;
  readonly timing: AgentTiming;
  readonly log: (line: string) => void;
}

/** Runs one turn with a real model, and the subagents that it starts. Rejects with a sentence when it fails. */
export async function runProviderTurn(
  request: TurnRequest,
  io: TurnIo,
  options: ProviderTurnOptions,
): Promise<void> {
  const { host, log, provider, timing } = options;
  refuseUnusable(provider);
  silenceSdks();
  const { fast = false, history, rights, thinkingLevel, workspace } = request;
  const model = sdkModel(provider, request.modelId, options.known);
  const access: ModelAccess = { provider, model, thinkingLevel, fast, timing, log };
  const setting = toolSetting(request, { signal: io.signal, seesImages: seesImages(model) }, host);
  const instructions = await projectInstructions(workspace, { home: host.env.HOME ?? homedir(), log });
  const tools = await toolsFor(workspace, io, host);
  const system = (role: 'agent' | 'subagent') => systemPrompt({ role, workspace, rights, instructions });

  const run = (
    agent: Pick<Agent, 'history' | 'images' | 'maxRequests' | 'prompt' | 'system' | 'tools'>,
    own: TurnIo,
  ) => {
    const { history: earlier, images } = agent;
    const fitting = createCompaction({ history: earlier, images, access, setting }, own);
    return runLoop({ ...agent, access, setting, fitting }, own);
  };
  const task = createTaskTool(io, (text, childIo) =>
    run(
      {
        system: system('subagent'),
        tools,
        history: [],
        prompt: { kind: 'user', text },
        images: new Map(),
        maxRequests: MAX_SUBAGENT_REQUESTS,
      },
      childIo,
    ),
  );
  await run(
    {
      system: system('agent'),
      tools: [...tools, task],
      history,
      prompt: { kind: 'user', text: request.prompt, images: request.images ?? [] },
      images: await loadImages(request, model),
      maxRequests: MAX_REQUESTS,
    },
    io,
  );
}

/** The vendors' SDKs print answers (and on request headers) to the console; only the environment turns that off. */
function silenceSdks(): void {
  process.env.OPENAI_LOG = 'off';
  process.env.ANTHROPIC_LOG = 'off';
}

/** With such a token the SDK would present itself as another vendor's client; without an account Codex cannot be asked. */
function refuseUnusable(provider: NetworkProvider): void {
  if (provider.api === 'openai-codex-responses') {
    const { credential } = provider;
    if (typeof credential === 'string') throw new TurnFailure(credential, credential);
    return;
  }
  if (provider.api === 'anthropic-messages' && provider.apiKey?.includes('sk-ant-oat') === true) {
    throw new Error('This is a subscription token of another client. An API key is needed.');
  }
}

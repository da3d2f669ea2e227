import { homedir } from 'node:os';
import { TurnFailure } from '../failure.ts';
import type { AgentTiming } from '../options.ts';
import { projectInstructions } from '../project-instructions.ts';
import type { TurnRequest } from '../runtime.ts';
import { createTaskTool } from '../subagents.ts';
import { systemPrompt } from '../system-prompt.ts';
import { type ToolHost, toolSetting } from '../tools/setting.ts';
import type { Tool } from '../tools/tool.ts';
import { toolsFor } from '../tools/toolbox.ts';
import type { TurnIo } from '../turn.ts';
import { type NetworkProvider, type ServerModel, sdkModel } from './catalogue.ts';
import { compactedHistory } from './compaction.ts';
import { type ModelAccess, runLoop } from './loop.ts';

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
  const { prompt, rights, thinkingLevel, workspace } = request;
  const model = sdkModel(provider, request.modelId, options.known);
  const access: ModelAccess = { provider, model, thinkingLevel, timing, log };
  const setting = toolSetting(request, io.signal, host);
  const instructions = await projectInstructions(workspace, { home: host.env.HOME ?? homedir(), log });
  const tools = await toolsFor(workspace, io, host);
  const system = (role: 'agent' | 'subagent') => systemPrompt({ role, workspace, rights, instructions });

  const task = createTaskTool(io, (childPrompt, childIo) =>
    runLoop(
      {
        access,
        setting,
        system: system('subagent'),
        tools,
        history: [],
        prompt: childPrompt,
        maxRequests: MAX_SUBAGENT_REQUESTS,
      },
      childIo,
    ),
  );
  const beside = [system('agent'), prompt, ...[...tools, task].map(declaration)];
  const history = await compactedHistory({ history: request.history, beside, access, setting }, io);
  await runLoop(
    {
      access,
      setting,
      system: system('agent'),
      tools: [...tools, task],
      history,
      prompt,
      maxRequests: MAX_REQUESTS,
    },
    io,
  );
}

/** About what a tool takes in a request. */
function declaration({ description, name, parameters }: Tool): string {
  return `${name} ${description} ${JSON.stringify(parameters)}`;
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

import type { TurnRequest } from '../runtime.ts';
import { findSandbox, type Sandbox } from '../sandbox/sandbox.ts';
import type { ToolSetting } from './tool.ts';
import type { ToolboxOptions } from './toolbox.ts';

/** What outlives a turn. */
export interface ToolHost extends ToolboxOptions {
  readonly env: NodeJS.ProcessEnv;
  /** By workspace: a sandbox is tried once. */
  readonly sandboxes: Map<string, Sandbox>;
}

/** What all tool calls of a turn have in common. */
export function toolSetting(
  request: TurnRequest,
  turn: Pick<ToolSetting, 'signal' | 'seesImages'>,
  host: ToolHost,
): ToolSetting {
  const { permit, workspace } = request;
  const { env, sandboxes } = host;
  const sandbox = (): Sandbox => {
    const found = sandboxes.get(workspace) ?? findSandbox({ workspace, env, platform: process.platform });
    sandboxes.set(workspace, found);
    return found;
  };
  const kept = request.keepOutput === undefined ? {} : { keepOutput: request.keepOutput };
  return { workspace, permit, sandbox: request.sandbox ? sandbox : null, env, ...turn, ...kept };
}

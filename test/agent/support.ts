import { randomUUID } from 'node:crypto';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished, vi } from 'vitest';
import type {
  AgentEvent,
  AgentTurn,
  PermissionAnswer,
  PermissionAsk,
  Permit,
  ProviderSpec,
  TurnRequest,
} from '../../src/agent/runtime.ts';
import { executeTool, type ToolResult } from '../../src/agent/tools/executor.ts';
import type { Tool, ToolSetting } from '../../src/agent/tools/tool.ts';
import type { LiveEvent } from '../../src/agent/turn.ts';
import { type ModelServer, type ModelServerOptions, startModelServer } from '../support/model-server.ts';

/** An empty folder that goes away with the test. */
export async function tempFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'agent-')));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** A model server that goes away with the test. */
export async function modelServer(options: ModelServerOptions): Promise<ModelServer> {
  const server = await startModelServer(options);
  onTestFinished(() => server.close());
  return server;
}

export type NetworkApi = 'anthropic-messages' | 'openai-completions';

export const APIS: readonly NetworkApi[] = ['openai-completions', 'anthropic-messages'];

/** A provider that points to a scripted server (the OpenAI SDK wants the version in the address). */
export function providerAt(url: string, api: NetworkApi, apiKey: string | null = 'test-key'): ProviderSpec {
  const baseUrl = api === 'openai-completions' ? `${url}/v1` : url;
  return { api, id: 'scripted', label: 'Scripted', baseUrl, apiKey };
}

export const DEMO: ProviderSpec = { api: 'demo', id: 'demo', label: 'Demo' };

type Kind = PermissionAsk['kind'];

/** Says yes to these kinds as a mode would, and no with fixed words to all others. */
export function permitting(...kinds: readonly Kind[]): Permit {
  return async ({ kind }) => (kinds.includes(kind) ? { allowed: true, by: 'mode' } : refusal(kind));
}

/** The no of `permitting`. */
export function refusal(kind: Kind): PermissionAnswer {
  return {
    allowed: false,
    output: `Not allowed: ${kind}.`,
    notice: `${kind} is off. Allow it: allow ${kind}`,
  };
}

export interface Asked extends PermissionAsk {
  answer(answer: PermissionAnswer): void;
  readonly signal: AbortSignal;
}

/** Keeps every question until the test answers it. */
export function askingTheTest(): { readonly permit: Permit; readonly asked: readonly Asked[] } {
  const asked: Asked[] = [];
  const permit: Permit = (ask, signal) =>
    new Promise((resolve) => {
      asked.push({ ...ask, signal, answer: resolve });
    });
  return { permit, asked };
}

/** A turn request where only changes of the workspace are allowed; tests change what they are about. */
export function turnRequest(workspace: string, changes: Partial<TurnRequest>): TurnRequest {
  return {
    provider: DEMO,
    modelId: 'scripted-1',
    thinkingLevel: 'default',
    workspace,
    permit: permitting('write'),
    sandbox: false,
    history: [],
    prompt: 'hello',
    ...changes,
  };
}

/** All events of a turn, the `end` included. */
export function eventsOf(turn: AgentTurn): Promise<AgentEvent[]> {
  return collect(turn.events);
}

/** Everything that an iterable gives. */
export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** The answer that a reader of the text events assembles. */
export function textOf(events: readonly AgentEvent[]): string {
  return events.map((event) => (event.type === 'text' ? event.text : '')).join('');
}

/** Events of one type. */
export function ofType<T extends AgentEvent['type']>(events: readonly AgentEvent[], type: T) {
  return events.filter((event): event is Extract<AgentEvent, { type: T }> => event.type === type);
}

/** Reads a turn and calls `onEvent` for every event while it runs. */
export async function follow(
  turn: AgentTurn,
  onEvent: (event: LiveEvent) => void,
): Promise<readonly AgentEvent[]> {
  const events: AgentEvent[] = [];
  for await (const event of turn.events) {
    events.push(event);
    if (event.type !== 'end') onEvent(event);
  }
  return events;
}

/** Runs a tool the way an agent does. */
export function runTool(
  tool: Tool,
  workspace: string,
  args: unknown,
  changes: Partial<ToolSetting> = {},
): Promise<ToolResult> {
  const call = { id: randomUUID(), args };
  return executeTool(tool, call, {
    workspace,
    permit: permitting('bash', 'write'),
    sandbox: null,
    signal: new AbortController().signal,
    env: process.env,
    seesImages: false,
    ...changes,
  });
}

/** True while a process exists that is not a zombie. */
export function isAlive(status: string): boolean {
  return status !== '' && !/^State:\s+[ZX]/mu.test(status);
}

/** Waits until a check stops throwing, also on a busy machine. */
export function eventually<T>(check: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(check, { timeout: 20_000, interval: 10 });
}

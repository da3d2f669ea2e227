/** Runs a script against a service. The raw outcome. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Json } from '../../src/wire/json.ts';
import { registerLink } from '../secrets/ledger.ts';
import type { JsonObject } from '../support/traces.ts';
import { type End, Line, payloadOf } from './line.ts';
import type { Around, Keep, Script, Step } from './script.ts';
import type { Service } from './services.ts';
import { Values } from './values.ts';

/** On one connection. */
export interface Heard {
  readonly records: readonly JsonObject[];
  readonly end: End;
  /** What was waited for in vain. */
  readonly missed: readonly string[];
}

export interface Performance {
  readonly lines: ReadonlyMap<string, Heard>;
  readonly seen: readonly Json[];
  /** Operation IDs that were used, and what the script calls them. */
  readonly operations: ReadonlyMap<string, string>;
}

/** For what the service may still say, and for it to notice that the connections are gone. */
const REST_MS = 15;
const INSIST_MS = 5_000;

let runs = 0;

export async function perform(script: Script, service: Service): Promise<Performance> {
  runs += 1;
  const stage = new Stage(service, new Values(`run-${runs}`));
  try {
    for (const step of script.steps) await stage.take(step);
    await pause(REST_MS);
    return stage.performance();
  } finally {
    await stage.close();
    await pause(REST_MS);
  }
}

type Speech = Extract<Step, { do: 'hello' | 'hello-text' | 'bytes' | 'send' | 'burst' }>;

class Stage {
  readonly #service: Service;
  readonly #values: Values;
  readonly #lines = new Map<string, Line>();
  readonly #seen: Json[] = [];

  constructor(service: Service, values: Values) {
    this.#service = service;
    this.#values = values;
  }

  performance(): Performance {
    const lines = [...this.#lines].map(
      ([name, { heard, end, missed }]) => [name, { records: heard, end, missed }] as const,
    );
    return { lines: new Map(lines), seen: this.#seen, operations: this.#values.operations };
  }

  async close(): Promise<void> {
    for (const { peer } of this.#lines.values()) await peer.close();
  }

  /** Requests that follow each other without a wait are one write. */
  async take(step: Step): Promise<void> {
    if (step.do !== 'send') for (const line of this.#lines.values()) line.flush();
    switch (step.do) {
      case 'pause':
        return pause(step.ms);
      case 'world':
        return step.act(this.#around());
      case 'look':
        this.#seen.push(step.see(this.#around()));
        return;
      case 'derive':
        return this.#values.keep(step.name, step.make(String(this.#values.resolve(step.from))));
      case 'browse':
        this.#seen.push(await statusOf(String(this.#values.resolve(step.address))));
        return;
      case 'connect':
      case 'greet':
      case 'welcome':
      case 'beside':
        return this.#open(step);
      case 'insist':
        return this.#insist(step);
      case 'settle':
        return this.#keep(step.keep, await this.#line(step.on).settled());
      case 'hear':
        return this.#keep(step.keep, await this.#line(step.on).event(step.event, step.count));
      case 'end':
        return this.#line(step.on).ended();
      case 'close':
        return this.#line(step.on).leave();
      case 'finish':
        return this.#line(step.on).peer.finish();
      case 'deaf':
      case 'listen':
        return this.#line(step.on).peer.listen(step.do === 'listen');
      default:
        this.#speak(step, this.#line(step.on));
    }
  }

  async #open({
    do: how,
    on,
  }: Extract<Step, { do: 'connect' | 'greet' | 'welcome' | 'beside' }>): Promise<void> {
    const service = this.#service;
    const line = await Line.open(how === 'beside' ? await service.beside() : service.endpoint);
    this.#lines.set(on, line);
    if (how === 'greet') await line.greet();
    if (how === 'welcome' || how === 'beside') await line.welcome();
    this.#values.keep(`${on}.instance`, line.ids.instance_id ?? null);
    this.#values.keep(`${on}.connection`, line.ids.connection_id ?? null);
  }

  #speak(step: Speech, line: Line): void {
    line.expected += step.do === 'send' ? 1 : 'answers' in step ? step.answers : 0;
    if (step.do === 'send') line.queue(this.#lineOf(step, line));
    else line.write(this.#dataOf(step, line));
  }

  #dataOf(step: Exclude<Speech, { do: 'send' }>, line: Line): string | Uint8Array {
    switch (step.do) {
      case 'bytes':
        return step.bytes;
      case 'hello':
        return `${JSON.stringify({ ...this.#hello(), ...step.changes })}\n`;
      case 'hello-text':
        return step.text(this.#hello());
      case 'burst': {
        const all = Array.from({ length: step.count }, () => JSON.stringify(line.request(step.method, {})));
        return `${all.join('\n')}\n`;
      }
    }
  }

  #hello(): Readonly<Record<string, string>> {
    const { identity, version } = this.#service.endpoint;
    const { stateRoot: state_root, workspace } = identity;
    return { version, workspace, state_root, action: 'connect' };
  }

  #lineOf(step: Extract<Step, { do: 'send' }>, line: Line): string {
    const record = this.#record(step, line);
    return `${step.line?.(record) ?? JSON.stringify(record)}\n`;
  }

  #record({ method, payload, slots }: Extract<Step, { do: 'send' }>, line: Line): JsonObject {
    const record: Record<string, Json> = { ...line.request(method, this.#values.resolve(payload)) };
    for (const [slot, value] of Object.entries(slots)) {
      if (value === undefined) delete record[slot];
      else record[slot] = this.#values.resolve(value);
    }
    return record;
  }

  /** Refusals on the way depend on timing. */
  async #insist({ on, request, until }: Extract<Step, { do: 'insist' }>): Promise<void> {
    const line = this.#line(on);
    const deadline = performance.now() + INSIST_MS;
    for (;;) {
      const before = line.peer.records.length;
      for (const step of request) await this.take(renamed(step, String(before)));
      const answer = await line.settled();
      if (until(answer) || performance.now() > deadline) return;
      line.forget(answer);
      await pause(REST_MS);
    }
  }

  #keep(keep: Keep, record: JsonObject): void {
    const payload = payloadOf(record);
    for (const [name, member] of Object.entries(keep)) {
      const value = payload[member];
      if (value === undefined) continue;
      this.#values.keep(name, value);
      if (member === 'url') registerLink(String(value));
    }
  }

  #line(name: string): Line {
    const line = this.#lines.get(name);
    if (line === undefined) throw new Error(`the script has no connection ${name}`);
    return line;
  }

  #around(): Around {
    const { allowCommands, endpoint, goodSettings, home } = this.#service;
    return {
      settings: (text) => home.settings(text),
      mendSettings: () => home.settings(goodSettings),
      allowCommands: () => allowCommands(),
      loseSessions: () => {
        home.loseSessions();
        // What is open would still be written to.
        rmSync(join(endpoint.identity.stateRoot, 'sessions-lost'), { recursive: true });
      },
      directory: endpoint.directory,
      stateRoot: endpoint.identity.stateRoot,
    };
  }
}

/** An operation ID is used up by a refusal. */
function renamed(step: Step, suffix: string): Step {
  if (step.do !== 'send' || typeof step.slots.operation_id !== 'string') return step;
  return { ...step, slots: { ...step.slots, operation_id: `${step.slots.operation_id}~${suffix}` } };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** The class of it, since pages for people are no part of the protocol; null when nobody listens there. */
async function statusOf(address: string): Promise<string | null> {
  try {
    const { status } = await fetch(address, { signal: AbortSignal.timeout(3_000) });
    return `${Math.floor(status / 100)}xx`;
  } catch {
    return null;
  }
}

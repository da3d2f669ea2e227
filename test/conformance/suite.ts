/** The scripts of one topic as tests: each is run against both services, and the outcomes must match. */
import { afterAll, describe, expect, test } from 'vitest';
import type { Json } from '../../src/wire/json.ts';
import { compare, describeFound, type Found } from './compare.ts';
import { outcomeOf } from './outcome.ts';
import { perform } from './perform.ts';
import type { Difference, Script } from './script.ts';
import { type Kind, Service } from './services.ts';

/** The real one remembers 256 mutations; later ones are refused. */
const BUDGET = 200;

export interface Topic {
  readonly name: string;
  readonly scripts: readonly Script[];
  /** They only wait, and do not disturb each other. */
  readonly sideBySide?: boolean;
}

export function suite({ name, scripts, sideBySide = false }: Topic): void {
  const services = { real: new Shared('real'), ours: new Shared('ours') };
  describe(name, () => {
    afterAll(async () => {
      for (const shared of Object.values(services)) await shared.close();
    });
    const run = sideBySide ? test.concurrent : test;
    run.each(scripts)('$name', async (script) => {
      const [real, ours] = await Promise.all([services.real.run(script), services.ours.run(script)]);
      judge(script, real, ours);
    });
  });
}

function judge({ differences = [] }: Script, real: Json, ours: Json): void {
  const found = compare(real, ours);
  const unlisted = found.filter((one) => !differences.some((listed) => fits(one, listed)));
  if (unlisted.length > 0) expect.fail(`not listed: ${describeFound(unlisted, real, ours)}`);
  const unseen = differences.filter((listed) => !found.some((one) => fits(one, listed)));
  if (unseen.length > 0) expect.fail(`listed, but not shown: ${JSON.stringify(unseen)}`);
}

/** A place includes what is in it. */
function fits(one: Found, { at, real = one.real, ours = one.ours }: Difference): boolean {
  const isAt = one.at === at || one.at.startsWith(`${at}.`) || one.at.startsWith(`${at}[`);
  return isAt && compare([one.real, one.ours], [real, ours]).length === 0;
}

/** One service for many scripts, replaced before its memory is full. */
class Shared {
  readonly #kind: Kind;
  #service: Promise<Service> | null = null;
  #spent = 0;

  constructor(kind: Kind) {
    this.#kind = kind;
  }

  async run(script: Script): Promise<Json> {
    if (script.alone === true) return this.#runAlone(script);
    if (this.#spent > BUDGET) await this.close();
    this.#service ??= Service.start(this.#kind);
    return this.#outcome(script, await this.#service);
  }

  async close(): Promise<void> {
    const service = this.#service;
    this.#service = null;
    this.#spent = 0;
    await (await service)?.close();
  }

  async #runAlone(script: Script): Promise<Json> {
    const service = await Service.start(this.#kind, script.swallowed);
    try {
      return await this.#outcome(script, service);
    } finally {
      await service.close();
    }
  }

  async #outcome(script: Script, service: Service): Promise<Json> {
    const performance = await perform(script, service);
    this.#spent += performance.operations.size;
    return outcomeOf(performance, service.endpoint.identity, script);
  }
}

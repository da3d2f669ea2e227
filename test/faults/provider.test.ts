/**
 * Model servers that fail in every way: the turn ends with a code and a sentence, nothing hangs, and the next turn
 * of the same session works. Waiting for silence takes minutes in real use; for that case the times are short.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TurnTerminal } from '../../src/wire/turn.ts';
import { answeredBy } from '../support/app.ts';
import { type ModelScript, type ModelServer, startModelServer } from '../support/model-server.ts';
import { Guest } from './guest.ts';
import { kindOf } from './loss.ts';
import { report } from './report.ts';
import { ServiceHome } from './service-home.ts';

type Script = ReturnType<ModelScript>;
const BROKEN = { raw: 'data: {"choices": [nonsense\n\n' };
const HELLO: Script = [{ text: 'Hello.' }];

interface Case {
  /** By attempt: the last one repeats. */
  readonly says: readonly Script[];
  /** Words of the notice; null when the turn completes. */
  readonly notice: RegExp | null;
  readonly text: string;
}

const CASES: Readonly<Record<string, Case>> = {
  'resets before a word': { says: [[{ reset: true }]], notice: /was lost/, text: '' },
  'resets in mid-sentence': {
    says: [[{ text: 'Half a' }, { reset: true }]],
    notice: /was lost/,
    text: 'Half a',
  },
  'resets once': { says: [[{ reset: true }], HELLO], notice: null, text: 'Hello.' },
  'sends no JSON': { says: [[BROKEN]], notice: /could not be used/, text: '' },
  'sends no JSON in mid-sentence': {
    says: [[{ text: 'Half a' }, BROKEN]],
    notice: /could not be used/,
    text: 'Half a',
  },
  'answers 401': { says: [[{ error: 401 }]], notice: /refuses the key \(401\)/, text: '' },
  'answers 429 and asks for a second': {
    says: [[{ error: 429, headers: { 'retry-after': '1' } }], HELLO],
    notice: null,
    text: 'Hello.',
  },
  'answers 429 and asks for an hour': {
    says: [[{ error: 429, headers: { 'retry-after': '3600' } }]],
    notice: /busy, or the quota is used up \(429\)/,
    text: '',
  },
  'answers 500': { says: [[{ error: 500 }]], notice: /answered with an error \(500\)/, text: '' },
  'answers 500 once': { says: [[{ error: 500 }], HELLO], notice: null, text: 'Hello.' },
};

const script: ModelScript = ({ attempt, lastUser }) => {
  if (lastUser === 'stalls before a word') return [{ stall: true }];
  if (lastUser === 'stalls in mid-sentence') return [{ text: 'Half a' }, { stall: true }];
  const says = CASES[lastUser]?.says ?? [HELLO];
  return says[Math.min(attempt, says.length - 1)] ?? HELLO;
};

let model: ModelServer;
const homes: ServiceHome[] = [];
beforeAll(async () => {
  model = await startModelServer({ script });
});
afterAll(async () => {
  for (const home of homes) await home.dispose();
  await model.close();
});

const COMPLETED = { status: 'completed', persistence: 'committed', error: null };
const FAILED = { status: 'failed', persistence: 'committed', error: { code: 'internal_error' } };

function newHome(): ServiceHome {
  const home = new ServiceHome({ settings: answeredBy(model.url) });
  homes.push(home);
  return home;
}

/** What a turn came to stands in the file, too; and the next one works. */
async function expectToGoOn(guest: Guest, { error, notice, status, turn_id }: TurnTerminal): Promise<void> {
  const end = guest.events.find(
    (event) =>
      event.type === 'envelope' && kindOf(event.envelope) === 'turn-end' && event.envelope.turn === turn_id,
  );
  const message = notice ?? error?.message;
  const said = error === null ? {} : { error: { code: error.code, message } };
  expect(end).toMatchObject({ envelope: { ev: { status, ...said } } });
  expect(await guest.turn('hello')).toMatchObject(COMPLETED);
}

describe('a model server that', () => {
  it('fails', async () => {
    const home = newHome();
    await home.start();
    const one = async (name: string, { notice, text }: Case): Promise<void> => {
      const guest = await Guest.enter(home);
      const terminal = await guest.turn(name);
      const told = notice === null ? {} : { notice: expect.stringMatching(notice) };
      expect({ name, ...terminal }).toMatchObject({
        name,
        assistant_text: text,
        ...(notice === null ? COMPLETED : FAILED),
        ...told,
      });
      await expectToGoOn(guest, terminal);
      const code = terminal.error === null ? '' : `/${terminal.error.code} "${terminal.notice ?? ''}"`;
      report(`the model server ${name}`, `${terminal.status}${code}`.replace(model.url.slice(7), 'HOST'));
    };
    await Promise.all(Object.entries(CASES).map(([name, about]) => one(name, about)));
  });

  it.each(['stalls before a word', 'stalls in mid-sentence'])('%s: silence ends the turn', async (name) => {
    const home = newHome();
    await home.start(({ state, workspace }) => [
      process.execPath,
      new URL('impatient-service.ts', import.meta.url).pathname,
      workspace,
      state,
    ]);
    const guest = await Guest.enter(home);
    const begun = performance.now();
    const terminal = await guest.turn(name);
    const ms = Math.round(performance.now() - begun);
    expect(terminal).toMatchObject({ ...FAILED, notice: expect.stringMatching(/sent nothing for 1 s/) });
    await expectToGoOn(guest, terminal);
    report(
      `the model server ${name} (limit 1 s)`,
      `failed/internal_error "${terminal.notice}" after ${ms} ms`,
    );
  });

  it('stalls: the user can stop the turn', async () => {
    const home = newHome();
    await home.start();
    const guest = await Guest.enter(home);
    const turn = await guest.start('stalls in mid-sentence');
    await guest.until((event) => (event.type === 'delta' ? event : null), 'a word');
    await sleep(100);
    const begun = performance.now();
    await guest.session.cancelTurn(turn);
    const terminal = await guest.terminalOf(turn);
    const ms = Math.round(performance.now() - begun);
    expect(terminal).toMatchObject({ status: 'cancelled', assistant_text: 'Half a', error: null });
    await expectToGoOn(guest, terminal);
    report('the model server stalls, the user stops the turn', `cancelled after ${ms} ms`);
  });
});

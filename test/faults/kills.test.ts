/**
 * The service is killed at random points of running turns, again and again: whatever a client was told is in the
 * file, and the next service opens it. The processes die, not the machine: what the disk itself may lose is not
 * tested here, but a half-written last line is put into every third file.
 */
import { appendFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { PlacedEnvelope } from '../../src/wire/session-protocol.ts';
import { answeredBy } from '../support/app.ts';
import { type ModelScript, type ModelServer, startModelServer } from '../support/model-server.ts';
import { Guest } from './guest.ts';
import { envelopesIn, type Heard, heardOf, kindOf, lossOf, openTurns, textOf, unsavedOf } from './loss.ts';
import { seededRandom } from './random.ts';
import { report } from './report.ts';
import { ServiceHome } from './service-home.ts';

const KILLS = Number(process.env.MAGI_TERM_FAULT_KILLS ?? 200);
const SEED = Number(process.env.MAGI_TERM_FAULT_SEED ?? Math.floor(Math.random() * 2 ** 31));
/** Services that live and die at the same time, each with a home of its own. */
const LANES = 4;
/** A session is killed so often before the next one begins. */
const KILLS_PER_SESSION = 6;
/** A point of a turn: so many events were heard, and so much time has passed since. */
const MOST_EVENTS = 160;
const MOST_MS = 20;
const TORN = '{"id":"abc","time":1,"role":"agent","turn":"abc","ev":{"t":"text","te';

/** Speaks and uses tools by turns, and never comes to an end. */
const endless: ModelScript = ({ toolResults: { length: round } }) => [
  { thinking: `Round ${round}. ` },
  { text: `${`r${round} says something. `.repeat(round % 4 === 3 ? 150 : 12)}\n` },
  round % 2 === 0
    ? { toolCall: 'bash', args: { command: `sleep 0.1; echo round ${round}` } }
    : { toolCall: 'write', args: { path: `file-${round % 5}.txt`, content: `round ${round}\n` } },
];

let model: ModelServer;
const homes: ServiceHome[] = [];

beforeAll(async () => {
  model = await startModelServer({ script: endless, chunkDelayMs: 2 });
});

afterAll(async () => {
  for (const home of homes) await home.dispose();
  await model.close();
});

interface Count {
  kills: number;
  events: number;
  envelopes: number;
  /** Killed between the beginning and the end of a tool call. */
  inTool: number;
  /** Last lines that were half written. */
  torn: number;
  /** The most letters of an answer that were told and not yet written. */
  unsaved: number;
  readonly losses: string[];
}

it(`${KILLS} kills lose nothing that a client was told`, { timeout: 300_000 }, async () => {
  process.stdout.write(`fault seed: MAGI_TERM_FAULT_SEED=${SEED}\n`);
  const count: Count = { kills: 0, events: 0, envelopes: 0, inTool: 0, torn: 0, unsaved: 0, losses: [] };
  const begun = performance.now();
  let sessions = 0;
  const lane = async (): Promise<void> => {
    const home = new ServiceHome({ settings: answeredBy(model.url) });
    homes.push(home);
    while (sessions * KILLS_PER_SESSION < KILLS) {
      const kills = Math.min(KILLS - sessions * KILLS_PER_SESSION, KILLS_PER_SESSION);
      sessions += 1;
      // Each session has numbers of its own: lanes do not overtake each other in the same order twice.
      await sessionOf(home, kills, seededRandom(SEED + sessions), count);
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  const seconds = Math.round((performance.now() - begun) / 1000);
  report(
    'kill -9 of the service in a running turn',
    [
      `${count.kills} kills in ${seconds} s`,
      `${count.inTool} of them in a tool call`,
      `${count.events} events received with ${count.envelopes} envelopes`,
      `${count.torn} torn tails repaired`,
      `at most ${count.unsaved} letters of an answer not yet written`,
      `lost: ${count.losses.length}`,
    ].join(', '),
  );
  expect(count.losses).toEqual([]);
  expect(count.kills).toBe(KILLS);
});

/** One session through several lives of its service. */
async function sessionOf(
  home: ServiceHome,
  kills: number,
  random: () => number,
  count: Count,
): Promise<void> {
  let service = await home.start();
  let guest = await Guest.trusted(home);
  const { sessionId } = guest.session;
  const file = home.file(sessionId);
  let notices = 0;
  for (let kill = 0; kill < kills; kill += 1) {
    await guest.start('Work');
    const point = Math.floor(random() * MOST_EVENTS);
    if (point > 0) await guest.until(() => (guest.events.length >= point ? true : null), `event ${point}`);
    await sleep(random() * MOST_MS);
    await service.end('SIGKILL');
    await guest.untilEnded();
    const heard = heardOf(guest.events);
    const { length: events } = guest.events;
    const isTorn = random() < 1 / 3;
    if (isTorn) appendFileSync(file, TORN.slice(0, 1 + random() * TORN.length));

    service = await home.start();
    guest = await Guest.enter(home, sessionId);
    const { gap, placed } = await guest.history();
    count.losses.push(...lossOf(heard, placed), ...differences(placed, file));
    expect({ gap, open: openTurns(placed) }).toEqual({ gap: false, open: [] });
    const repairs = placed.filter(({ envelope }) => textOf(envelope)?.startsWith('The last record') === true);
    expect(repairs.length).toBe(isTorn ? notices + 1 : notices);
    notices = repairs.length;

    count.kills += 1;
    count.torn += isTorn ? 1 : 0;
    count.events += events;
    count.envelopes += heard.placed.length;
    count.inTool += isInTool(heard) ? 1 : 0;
    count.unsaved = Math.max(count.unsaved, unsavedOf(heard, placed).length);
  }
  guest.leave();
  await service.end('SIGTERM');
}

/** Whether the pages of a service are the lines of the file. */
function differences(placed: readonly PlacedEnvelope[], file: string): string[] {
  const lines = envelopesIn(file);
  const told = placed.map(({ envelope }) => envelope);
  const isSame = isDeepStrictEqual(lines, told);
  return isSame ? [] : [`${file} holds ${lines.length} envelopes, the service tells ${told.length}`];
}

function isInTool({ placed }: Heard): boolean {
  const last = placed.at(-1);
  return last !== undefined && kindOf(last.envelope) === 'tool-call-start';
}

/**
 * What people feel: a key until its cell is painted, a page up, the processor while an answer streams, and the
 * memory of a long session; the real program on a terminal, the real service, a model server on this machine.
 * Each measure is a median of several runs, with its ratio to what it may be.
 */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { AppHome, answeredBy } from '../support/app.ts';
import type { PtyProgram } from '../support/pty.ts';
import { median, pause, processorSeconds, rounded } from './measure.ts';
import { lastWords, writePast } from './past-session.ts';
import { type ProseOptions, proseWord } from './prose-model.ts';

const RUNS = 3;
const LETTERS = 150;
const PAGES = 100;
const DELTAS_PER_SECOND = 200;
const DEFAULT_SECONDS = 30;
/** Between two keys, ms: as fast as people type, and never in step with frames. */
const KEY_GAP = { least: 25, spread: 20 } as const;
const SIZE = { cols: 120, rows: 40 } as const;
/** Longer drafts would wrap. */
const DRAFT_LETTERS = 60;
const PROMPT_CELLS = 3;
const PATIENCE = { timeoutMs: 30_000 } as const;

/** What each measure may be. */
const LIMITS = { keyMs: 16, pageMs: 16, cores: 0.25, memory: 1.3 } as const;
const SHORT = 100;
const USUAL = 2_000;
const LONG = 100_000;

interface Felt {
  readonly idleKey: number;
  readonly streamKey: number;
  readonly page: number;
  readonly cores: number;
}

/** @param flags `--seconds N` of streaming, at least 12: the keys of a run need that long; `--runs N` */
export async function ui(flags: readonly string[]): Promise<Readonly<Record<string, number>>> {
  const seconds = numberOf(flags, '--seconds') ?? DEFAULT_SECONDS;
  const runs = numberOf(flags, '--runs') ?? RUNS;
  const workerData: ProseOptions = {
    deltas: seconds * DELTAS_PER_SECOND,
    perSecond: DELTAS_PER_SECOND,
  };
  const model = new Worker(new URL('prose-model.ts', import.meta.url), { workerData });
  const [port] = await once(model, 'message');
  const home = new AppHome({ settings: answeredBy(`http://127.0.0.1:${port}`) });
  const memory = new Map([SHORT, USUAL, LONG].map((messages) => [messages, [] as number[]]));
  const felt: Felt[] = [];
  try {
    const { state: stateRoot, workspace } = home;
    for (const messages of memory.keys())
      writePast({ stateRoot, workspace, sessionId: nameOf(messages), messages });
    for (let run = 0; run < runs; run += 1) {
      for (const [messages, residents] of memory) residents.push(await residentOf(home, messages));
      // Its turns make a session longer: each run has its own.
      const sessionId = `${nameOf(USUAL)}-${run}`;
      writePast({ stateRoot, workspace, sessionId, messages: USUAL });
      felt.push(await feel(await opened(home, sessionId, USUAL), workerData.deltas));
    }
  } finally {
    await home.dispose();
    await model.terminate();
  }
  const of = (pick: (one: Felt) => number): number => median(felt.map(pick));
  const resident = (messages: number): number => median(memory.get(messages) ?? []);
  const [idleKey, streamKey] = [of((one) => one.idleKey), of((one) => one.streamKey)];
  const [page, cores] = [of((one) => one.page), of((one) => one.cores)];
  const growth = resident(LONG) / resident(SHORT);
  return {
    runs,
    key_idle_p95_ms: rounded(idleKey),
    key_idle_to_limit: rounded(idleKey / LIMITS.keyMs),
    key_streaming_p95_ms: rounded(streamKey),
    key_streaming_to_limit: rounded(streamKey / LIMITS.keyMs),
    stream_seconds: seconds,
    stream_client_cores: rounded(cores),
    stream_cores_to_limit: rounded(cores / LIMITS.cores),
    page_up_p95_ms: rounded(page),
    page_up_to_limit: rounded(page / LIMITS.pageMs),
    resident_100_mb: rounded(resident(SHORT)),
    resident_2000_mb: rounded(resident(USUAL)),
    resident_100000_mb: rounded(resident(LONG)),
    resident_100000_to_100: rounded(growth),
    resident_to_limit: rounded(growth / LIMITS.memory),
  };
}

function numberOf(flags: readonly string[], name: string): number | null {
  const at = flags.indexOf(name);
  return at === -1 ? null : Number(flags[at + 1]);
}

function nameOf(messages: number): string {
  return `bench-${messages}`;
}

/** Resident memory of the program once it shows the end of a session and rests, MB. */
async function residentOf(home: AppHome, messages: number): Promise<number> {
  const program = await opened(home, nameOf(messages), messages);
  await pause(1_000);
  const status = readFileSync(`/proc/${program.pid}/status`, 'utf8');
  await program.dispose();
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1_024;
}

async function opened(home: AppHome, sessionId: string, messages: number): Promise<PtyProgram> {
  const program = home.start({ ...SIZE, args: ['--session', sessionId] });
  await program.waitFor(lastWords(messages), PATIENCE);
  await program.waitFor('ready', PATIENCE);
  await program.waitForQuiet(500);
  return program;
}

/** Keys, pages and a stream in the usual session. */
async function feel(program: PtyProgram, deltas: number): Promise<Felt> {
  const idleKey = percentile95(await keyTimes(program));
  const page = percentile95(await pageTimes(program));
  const cores = await streamingCores(program, deltas);
  await streaming(program, deltas);
  const streamKey = percentile95(await keyTimes(program));
  program.press('escape');
  await program.waitFor('ready', PATIENCE);
  await program.dispose();
  return { idleKey, streamKey, page, cores };
}

/** From a letter to its cell, ms, as the terminal shows it. */
async function keyTimes(program: PtyProgram): Promise<number[]> {
  const times: number[] = [];
  for (let at = 0; at < LETTERS; at += 1) {
    const place = at % DRAFT_LETTERS;
    if (place === 0 && at > 0) {
      program.press('ctrl+u');
      await program.waitFor((screen) => screen.cursor().x === PROMPT_CELLS, PATIENCE);
    }
    const letter = String.fromCharCode(97 + (at % 26));
    const begun = performance.now();
    program.write(letter);
    await program.waitFor(
      (screen) => screen.cell(PROMPT_CELLS + place, screen.cursor().y).text === letter,
      PATIENCE,
    );
    times.push(performance.now() - begun);
    await pause(KEY_GAP.least + Math.random() * KEY_GAP.spread);
  }
  program.press('ctrl+u');
  await program.waitFor((screen) => screen.cursor().x === PROMPT_CELLS, PATIENCE);
  return times;
}

/** From a page key to another picture, ms: up as far as it goes, and the end again. */
async function pageTimes(program: PtyProgram): Promise<number[]> {
  const times: number[] = [];
  for (let at = 0; at < PAGES; at += 1) {
    const before = lowerRows(program);
    const begun = performance.now();
    program.press('pageup');
    await program.waitFor(() => lowerRows(program) !== before, PATIENCE);
    times.push(performance.now() - begun);
    await pause(KEY_GAP.least + Math.random() * KEY_GAP.spread);
  }
  program.press('ctrl+end');
  await program.waitForQuiet(200);
  return times;
}

/** Enough of the talk to tell two pages apart, from its lower part: that is painted last. */
function lowerRows({ screen }: PtyProgram): string {
  return screen.rows().slice(25, 35).join('\n');
}

async function streaming(program: PtyProgram, deltas: number): Promise<void> {
  await program.type('go');
  program.press('enter');
  // What is on the screen of the answer before is no sign of this one.
  await program.waitFor((screen) => screen.text().includes('working'), PATIENCE);
  await program.waitFor((screen) => !screen.text().includes(proseWord(deltas - 2).trim()), PATIENCE);
  await program.waitFor(/word\d/, PATIENCE);
}

/** Processor of the program from the first delta to the last one. */
async function streamingCores(program: PtyProgram, deltas: number): Promise<number> {
  await streaming(program, deltas);
  const before = { cpu: processorSeconds(program.pid), wall: performance.now() };
  await program.waitFor('ready', { timeoutMs: (deltas / DELTAS_PER_SECOND) * 4_000 });
  const wall = (performance.now() - before.wall) / 1_000;
  return (processorSeconds(program.pid) - before.cpu) / wall;
}

function percentile95(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * 0.95))] ?? Number.NaN;
}

/** A long session stays light: beside a short one in the same run. The figures are printed; what fails is a ratio, or memory without bound. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { SessionFolder } from '../../../src/service/sessions/session-folder.ts';
import { SessionWriter } from '../../../src/service/sessions/session-writer.ts';
import type { Envelope, SessionEvent } from '../../../src/transcript/envelope.ts';
import type { AppHome } from '../../support/app.ts';
import { FieldStage, PATIENCE } from '../../support/field-stage.ts';
import type { PtyProgram } from '../../support/pty.ts';

const stage = new FieldStage();

const SHORT = 100;
const LONG = 2_000;
/** Of tools, in the long session, bytes. */
const OUTPUT_BYTES = 20_000_000;
/** What one tool call may keep in an envelope, bytes. */
const CALL_BYTES = 10_000;
const LETTERS = 200;
const LETTERS_A_SECOND = 30;
const PAGES = 50;
const IDLE_MS = 5_000;
const MOST_MEGABYTES = 300;
const MOST_GROWTH_MEGABYTES = 5;
/** Of one processor. */
const MOST_IDLE = 0.01;
const MOST_RATIO = 2;
/** On a busy machine a few ms more or less say nothing. */
const SLACK_MS = 15;
const TRIES = 3;
const PROMPT_CELLS = 3;
const DRAFT_LETTERS = 60;

/** A session of questions, tools and answers; the last answer tells its number. */
function keep(user: AppHome, messages: number): void {
  const id = `long-${messages}`;
  const begun = 1_750_000_000_000;
  const folder = new SessionFolder(user.state);
  folder.create(id, user.workspace, begun);
  const writer = SessionWriter.open(folder.path(id), id, begun);
  if (writer === null) throw new Error('the session cannot be written');
  const turns = messages / 2;
  const calls = Math.round(OUTPUT_BYTES / CALL_BYTES / (LONG / 2));
  const line = '  ✓ upload retries in a loop (3 ms)\n';
  const output = line.repeat(Math.floor(CALL_BYTES / Buffer.byteLength(line)));
  let serial = 0;
  const add = (role: Envelope['role'], turn: string, ev: SessionEvent): void => {
    serial += 1;
    if (!writer.append({ id: `m${serial}`, time: begun + serial, role, turn, ev }))
      throw new Error('not written');
  };
  for (let number = 1; number <= turns; number += 1) {
    const turn = `t${number}`;
    add('user', turn, { t: 'text', text: `Question ${number}: why does it fail one time in ten?` });
    add('agent', turn, { t: 'turn-start' });
    for (let at = 0; at < calls; at += 1) {
      const call = `call-${number}-${at}`;
      add('agent', turn, {
        t: 'tool-call-start',
        call,
        name: 'bash',
        title: 'npm test',
        description: '',
        args: { command: 'npm test' },
      });
      add('agent', turn, { t: 'tool-call-end', call, status: 'ok', output, durationMs: 1_200 });
    }
    add('agent', turn, {
      t: 'text',
      text: `Answer ${number}: *milliseconds* in one place\n\n1. seconds in the other\n2. so it waits`,
    });
    add('agent', turn, { t: 'turn-end', status: 'completed' });
  }
  writer.close();
}

interface Figures {
  readonly key: readonly number[];
  readonly page: readonly number[];
  readonly peakMegabytes: number;
}

async function opened(user: AppHome, messages: number): Promise<PtyProgram> {
  const program = stage.start(user, { cols: 100, rows: 30, args: ['--session', `long-${messages}`] });
  await program.waitFor(`Answer ${messages / 2}:`, { timeoutMs: 60_000 });
  await program.waitFor('ready', PATIENCE);
  await program.waitForQuiet(300);
  return program;
}

async function measured(program: PtyProgram): Promise<Figures> {
  const key = await keyTimes(program);
  const page = await pageTimes(program);
  return { key, page, peakMegabytes: memory(program.pid, 'VmHWM') };
}

/** From a letter to its cell, ms. */
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
    const took = performance.now() - begun;
    times.push(took);
    await pause(1_000 / LETTERS_A_SECOND - took);
  }
  program.press('ctrl+u');
  await program.waitFor((screen) => screen.cursor().x === PROMPT_CELLS, PATIENCE);
  return times;
}

/** From a page key to another picture, ms. The short session has fewer pages: then the end is shown again. */
async function pageTimes(program: PtyProgram): Promise<number[]> {
  const middle = (): string => program.screen.rows().slice(6, 18).join('\n');
  const times: number[] = [];
  for (let at = 0; at < PAGES; at += 1) {
    if (at % 10 === 0) {
      program.press('ctrl+end');
      await program.waitForQuiet(150);
    }
    const before = middle();
    const begun = performance.now();
    program.press('pageup');
    await program.waitFor(() => middle() !== before, PATIENCE);
    times.push(performance.now() - begun);
    await pause(20);
  }
  program.press('ctrl+end');
  await program.waitForQuiet(200);
  return times;
}

function pause(ms: number): Promise<void> {
  return new Promise((done) => setTimeout(done, Math.max(0, ms)));
}

/** A size of a process, MB. */
function memory(pid: number, name: 'VmHWM' | 'VmRSS'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) / 1_024;
}

/** Processor seconds of a process so far. */
function processorSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

function shown(name: string, { key, page, peakMegabytes }: Figures): string {
  const at = (values: readonly number[]): string =>
    `${quantile(values, 0.5).toFixed(1)} (p95 ${quantile(values, 0.95).toFixed(1)}) ms`;
  return `FC-14 ${name} messages: key ${at(key)}, page ${at(page)}, peak ${Math.round(peakMegabytes)} MB`;
}

describe.skipIf(process.platform !== 'linux')(
  'FC-14 a long session stays light',
  { timeout: 240_000 },
  () => {
    it('keys, pages, memory and rest are as with a short one', async () => {
      const { user } = await stage.answered(() => [{ text: 'Heard.' }]);
      keep(user, SHORT);
      keep(user, LONG);
      const [short, long] = [await opened(user, SHORT), await opened(user, LONG)];
      for (let tries = 1; ; tries += 1) {
        const [ofShort, ofLong] = [await measured(short), await measured(long)];
        console.info(`${shown('100', ofShort)}\n${shown('2,000', ofLong)}`);
        const slow = (['key', 'page'] as const).filter(
          (what) => quantile(ofLong[what], 0.5) > MOST_RATIO * quantile(ofShort[what], 0.5) + SLACK_MS,
        );
        expect(ofLong.peakMegabytes).toBeLessThan(MOST_MEGABYTES);
        if (slow.length === 0) break;
        if (tries === TRIES) expect(slow).toEqual([]);
      }
      await long.waitForQuiet(1_000);
      const before = { cpu: processorSeconds(long.pid), resident: memory(long.pid, 'VmRSS') };
      await pause(IDLE_MS);
      const share = (processorSeconds(long.pid) - before.cpu) / (IDLE_MS / 1_000);
      const growth = memory(long.pid, 'VmRSS') - before.resident;
      console.info(
        `FC-14 at rest: ${(share * 100).toFixed(2)} % of a processor, ${growth.toFixed(1)} MB more`,
      );
      // Clock ticks are 10 ms: one of them is no sign of work.
      expect(share).toBeLessThan(MOST_IDLE + 0.005);
      expect(growth).toBeLessThan(MOST_GROWTH_MEGABYTES);
    });
  },
);

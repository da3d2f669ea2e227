/** Newline, batches, splits and layouts. Every sequence is decoded byte by byte in test/ui/keys. */
import { describe, expect, it } from 'vitest';
import { SessionFolder } from '../../../src/service/sessions/session-folder.ts';
import { SessionWriter } from '../../../src/service/sessions/session-writer.ts';
import type { AppHome } from '../../support/app.ts';
import { count, draftOf, FIELD_TIMEOUT, FieldStage, PATIENCE, say } from '../../support/field-stage.ts';
import type { PtyProgram } from '../../support/pty.ts';

const stage = new FieldStage();

async function chat(): Promise<{ program: PtyProgram; said: string[] }> {
  const said: string[] = [];
  const { user } = await stage.answered(({ lastUser }) => {
    said.push(lastUser);
    return [{ text: `Heard ${lastUser.length}.` }];
  });
  return { program: await stage.ready(user), said };
}

const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

/** Five sessions. */
function keepSessions(user: AppHome): void {
  const folder = new SessionFolder(user.state);
  for (let number = 1; number <= 5; number += 1) {
    const id = `session-${number}`;
    const at = 1_750_000_000_000 - number * 60_000;
    folder.create(id, user.workspace, at);
    const writer = SessionWriter.open(folder.path(id), id, at);
    if (writer === null) throw new Error('the session cannot be written');
    const head = { time: at, turn: 't1' };
    writer.append({ ...head, id: `u${number}`, role: 'user', ev: { t: 'text', text: `session ${number}` } });
    writer.append({ ...head, id: `b${number}`, role: 'agent', ev: { t: 'turn-start' } });
    writer.append({
      ...head,
      id: `a${number}`,
      role: 'agent',
      ev: { t: 'text', text: `This is the talk of ${number}.` },
    });
    writer.append({ ...head, id: `e${number}`, role: 'agent', ev: { t: 'turn-end', status: 'completed' } });
    writer.close();
  }
}

describe('FC-08 keys', FIELD_TIMEOUT, () => {
  it('CR sends; LF, ESC CR, CSI 13;2u and CSI 27;2;13~ start a new line', async () => {
    const { program, said } = await chat();
    await program.type('one');
    for (const [bytes, word] of [
      ['\n', 'two'],
      ['\u001b\r', 'three'],
      ['\u001b[13;2u', 'four'],
      ['\u001b[27;2;13~', 'five'],
    ] as const) {
      program.write(bytes);
      await pause(5);
      await program.type(word);
    }
    await program.waitFor('five', PATIENCE);
    expect(draftOf(program)).toEqual(['one', 'two', 'three', 'four', 'five']);
    expect(said).toEqual([]);
    program.write('\r');
    await program.waitFor('Heard', PATIENCE);
    expect(said).toEqual(['one\ntwo\nthree\nfour\nfive']);
  });

  it('a letter and Enter in one read both count', async () => {
    const { program, said } = await chat();
    program.write('hi\r');
    await program.waitFor('Heard 2.', PATIENCE);
    expect(said).toEqual(['hi']);
  });

  it('three times Down and Enter in one read choose the fourth of five', async () => {
    const { user } = await stage.answered(() => [{ text: 'Heard.' }]);
    keepSessions(user);
    const program = await stage.ready(user);
    program.press('f2');
    await program.waitFor(
      (screen) => /session 1\b/.test(screen.text()) && /session 5\b/.test(screen.text()),
      PATIENCE,
    );
    const listed = program.screen.text().match(/session \d/g) ?? [];
    program.write('\u001b[B\u001b[B\u001b[B\r');
    await program.waitFor(`This is the talk of ${listed[3]?.slice(-1)}.`, PATIENCE);
  });

  it('ESC and [A 20 ms later are Up', async () => {
    const { program } = await chat();
    await say(program, 'older');
    await program.waitFor('Heard 5.', PATIENCE);
    await program.waitFor('ready', PATIENCE);
    for (let tries = 0; tries < 3; tries += 1) {
      program.write('\u001b');
      await pause(20);
      program.write('[A');
      await program.waitForQuiet(300);
      if (draftOf(program)[0] === 'older') break;
      // A machine that stood still made it a lone ESC and two letters.
      program.press('ctrl+u');
      await program.waitForQuiet(100);
    }
    expect(draftOf(program)).toEqual(['older']);
  });

  it('a lone ESC acts', async () => {
    const { program } = await chat();
    program.press('f2');
    await program.waitFor('Sessions', PATIENCE);
    const begun = performance.now();
    program.press('escape');
    await program.waitFor('ready', PATIENCE);
    console.info(`FC-08: a lone ESC acted after ${Math.round(performance.now() - begun)} ms`);
  });

  it('0x7F deletes back, CSI 3~ forward', async () => {
    const { program } = await chat();
    await program.type('abcd');
    program.press('left');
    program.press('left');
    program.write('\u007f');
    program.write('\u001b[3~');
    await program.waitFor((screen) => /› ad$/m.test(screen.text()), PATIENCE);
  });

  it('characters of other layouts are typed, plain or as reports with Alt and Ctrl held', async () => {
    const { program, said } = await chat();
    program.write('a{ł} b@c');
    program.write('\u001b[113;7;64u\u001b[55;7;123u\u001b[108;7;322u');
    await program.waitFor('@{ł', PATIENCE);
    expect(draftOf(program)[0]).toBe('a{ł} b@c@{ł');
    program.press('enter');
    await program.waitFor('Heard 11.', PATIENCE);
    expect(said).toEqual(['a{ł} b@c@{ł']);
  });

  it('richer key reports are switched on once, and off at the end', async () => {
    const { program } = await chat();
    await program.type('x');
    program.resize(90, 28);
    await program.waitForQuiet(300);
    program.press('ctrl+c');
    await program.waitFor('again to leave', PATIENCE);
    await program.waitForQuiet(100);
    program.press('ctrl+c');
    expect(await program.exit).toEqual({ code: 0, signal: null });
    expect([count(program.bytes(), '\u001b[>1u'), count(program.bytes(), '\u001b[<1u')]).toEqual([1, 1]);
    expect(program.screen.modes().kittyDepth).toBe(0);
  });
});

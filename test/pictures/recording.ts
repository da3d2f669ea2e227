/** A session with the demo model as a recording: typing, tools, a question, reading back, the sessions. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AppHome } from '../support/app.ts';
import type { PtyProgram } from '../support/pty.ts';
import { Cast } from './cast.ts';

const SIZE = { cols: 90, rows: 24 };
const LONGEST_PAUSE = 1.5;
const PATIENCE = { timeoutMs: 60_000 };
/** Between two letters of a person, ms. */
const LETTER_MS = 45;

/** What a person does in it. */
export type Play = (program: PtyProgram) => Promise<void>;

const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

/** Types as a person does, and sends. */
async function say(program: PtyProgram, text: string): Promise<void> {
  await program.waitFor('ready', PATIENCE);
  await pause(600);
  for (const letter of text) {
    program.write(letter);
    await pause(LETTER_MS);
  }
  await pause(300);
  program.press('enter');
}

/** The whole tour. */
export const tour: Play = async (program) => {
  await say(program, 'list files');
  await program.waitFor('upload.ts', PATIENCE);
  await say(program, 'replace Math.random() with jitter(wait) in upload.ts');
  await program.waitFor(/▾ edit|▸ edit/, PATIENCE);
  await say(program, 'ask permission');
  await program.waitFor('asks for permission', PATIENCE);
  await pause(1_400);
  program.press('f6');
  await program.waitFor('It worked', PATIENCE);
  await say(program, 'long');
  await program.waitFor('That was the last row.', PATIENCE);
  await program.waitFor('ready', PATIENCE);
  await pause(600);
  for (let page = 0; page < 3; page += 1) {
    program.press('pageup');
    await pause(500);
  }
  program.press('ctrl+end');
  await pause(900);
  program.press('f2');
  await program.waitFor('Sessions', PATIENCE);
  await pause(1_400);
  program.press('escape');
  await pause(600);
  program.press('ctrl+d');
  await program.exit;
};

/** A few seconds of it. */
export const glimpse: Play = async (program) => {
  await program.waitFor('ready', PATIENCE);
  await program.type('list files');
  program.press('enter');
  await program.waitFor('upload.ts', PATIENCE);
  await program.waitFor('ready', PATIENCE);
  program.press('ctrl+d');
  await program.exit;
};

/** Returns the recording of a play, as a file. */
export async function recorded(play: Play): Promise<string> {
  const user = new AppHome({ settings: { provider: 'demo', model: 'demo-1' } });
  try {
    writeFileSync(
      join(user.workspace, 'upload.ts'),
      'const wait = base * 2 ** attempt;\nawait sleep(wait + Math.random());\n',
    );
    writeFileSync(join(user.workspace, 'README.md'), '# Upload\n');
    const cast = new Cast({ ...SIZE, title: 'magi-term', longestPause: LONGEST_PAUSE });
    await play(user.start({ ...SIZE, onOutput: (bytes) => cast.take(bytes, performance.now()) }));
    return cast.toString();
  } finally {
    await user.dispose();
  }
}

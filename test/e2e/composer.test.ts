/** Writing, as a person sees it: completion, commands in words, history, the editor, folds, files, and the queue. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { AppHome, answeredBy } from '../support/app.ts';
import { startModelServer } from '../support/model-server.ts';
import type { PtyProgram } from '../support/pty.ts';

const open: (() => Promise<void>)[] = [];

interface Scene {
  readonly user: AppHome;
  readonly said: string[];
}

function scene(files: readonly string[] = []): Promise<Scene> {
  return (async () => {
    const said: string[] = [];
    const server = await startModelServer({
      script: ({ lastUser }) => {
        said.push(lastUser);
        return lastUser.startsWith('wait') ? [{ text: 'Waiting.' }, { stall: true }] : [{ text: 'Heard.' }];
      },
    });
    const user = new AppHome({ settings: answeredBy(server.url) });
    for (const file of files) {
      mkdirSync(join(user.workspace, file, '..'), { recursive: true });
      writeFileSync(join(user.workspace, file), '');
    }
    open.push(async () => {
      await user.dispose();
      await server.close();
    });
    return { user, said };
  })();
}

async function chat({ user }: Scene, options: Parameters<AppHome['start']>[0] = {}): Promise<PtyProgram> {
  const program = user.start({ cols: 100, rows: 30, ...options });
  await program.waitFor('ready');
  return program;
}

async function say(program: PtyProgram, text: string): Promise<void> {
  await program.type(text);
  program.press('enter');
}

/** The draft's rows, without prompt and indent. */
function draft({ screen }: PtyProgram): string {
  const rows = screen.rows();
  const first = rows.findLastIndex((row) => row.startsWith(' › '));
  const status = rows.length - 1;
  return rows
    .slice(first, status)
    .map((row) => row.slice(3))
    .join('\n');
}

afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

describe('commands in words', () => {
  it('are offered, narrowed by typing, completed, and run once they are written out', async () => {
    const program = await chat(await scene());
    await program.type('/');
    await program.waitFor('Start a new session');
    await program.type('hel');
    await program.waitFor((screen) => !screen.text().includes('Start a new session'));
    program.press('tab');
    await program.waitFor('› /help');
    program.press('enter');
    await program.waitFor('Everywhere');
    program.press('escape');
    await program.waitFor('Write a message');
  });

  it('that do not exist are explained and not sent, and a path is text', async () => {
    const made = await scene();
    const program = await chat(made);
    await say(program, '/nonsense');
    await program.waitFor('There is no command /nonsense.');
    expect(draft(program)).toContain('/nonsense');
    program.press('ctrl+u');
    await say(program, '/usr/bin is where?');
    await program.waitFor('Heard.');
    expect(made.said).toEqual(['/usr/bin is where?']);
  });

  it('close with Esc, which then stops nothing; the next Esc does', async () => {
    const program = await chat(await scene());
    await say(program, 'wait');
    await program.waitFor('Waiting.');
    await program.type('/se');
    await program.waitFor('Open the sessions');
    program.press('escape');
    await program.waitFor((screen) => !screen.text().includes('Open the sessions'));
    expect(program.screen.text()).toMatch(/working/);
    program.press('escape');
    await program.waitFor('■ stopped');
    expect(draft(program)).toBe('/se');
  });
});

describe('files', () => {
  it('are offered behind an @ and put in, a folder first', async () => {
    const made = await scene(['src/upload/retry.ts', 'src/index.ts', 'docs/my notes.md', 'node.log']);
    writeFileSync(join(made.user.workspace, '.gitignore'), '*.log\n');
    const program = await chat(made);
    await program.type('look at @');
    await program.waitFor('docs/');
    expect(program.screen.text()).not.toContain('node.log');
    await program.type('retr');
    await program.waitFor('› src/upload/retry.ts');
    program.press('tab');
    await program.waitFor('› look at @src/upload/retry.ts');
    await program.type('and @notes');
    await program.waitFor('› docs/my notes.md');
    program.press('enter');
    await program.waitFor('@"docs/my notes.md"');
    program.press('enter');
    await program.waitFor('Heard.');
    expect(made.said).toEqual(['look at @src/upload/retry.ts and @"docs/my notes.md" ']);
  });

  it('go along with a message, and their cards stand in the talk', async () => {
    const made = await scene();
    const image = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    );
    writeFileSync(join(made.user.workspace, 'my shot.png'), image);
    const program = await chat(made);
    program.paste(`'${join(made.user.workspace, 'my shot.png')}'`);
    await program.waitFor(/▣ my shot\.png +\d+ B +image/);
    program.press('backspace');
    await program.waitFor((screen) => !screen.text().includes('▣'));
    await program.type('/attach @shot');
    await program.waitFor('› my shot.png');
    program.press('tab');
    await program.waitFor('/attach @"my shot.png"');
    program.press('enter');
    await program.waitFor(/▣ my shot\.png/);
    await say(program, 'what is this?');
    await program.waitFor('Heard.');
    expect(program.screen.text()).toMatch(/you +what is this\?\n +▣ my shot\.png +\d+ B +image 1×1/);
    expect(made.said.length).toBe(1);
    await say(program, '/attach nothing.png');
    await program.waitFor('There is no file nothing.png');
    program.press('ctrl+v');
    await program.waitFor('The clipboard cannot be read here');
  });
});

describe('what was sent before', () => {
  it('can be sent again without the draft that was left for it being lost', async () => {
    const made = await scene();
    const program = await chat(made);
    await say(program, 'first');
    await program.waitFor('Heard.');
    await program.waitFor('ready');
    await program.type('half a thought');
    program.press('up');
    await program.waitFor('› first');
    program.press('enter');
    await program.waitFor(() => made.said.length === 2);
    await program.waitFor('› half a thought');
    expect(made.said).toEqual(['first', 'first']);
  });

  it('is found by a few letters, also after a new start, and Esc leaves the draft as it was', async () => {
    const made = await scene();
    const first = await chat(made);
    for (const text of ['fix the upload test', 'explain the retry']) {
      await say(first, text);
      await first.waitFor(() => made.said.includes(text));
      await first.waitFor('ready');
    }
    first.press('ctrl+d');
    await first.exit;
    const program = await chat(made);
    await program.type('half');
    program.press('ctrl+r');
    await program.waitFor('› explain the retry');
    await program.type('upl');
    await program.waitFor('› fix the upload test');
    program.press('escape');
    await program.waitFor('› half');
    program.press('ctrl+r');
    await program.waitFor('› explain the retry');
    program.press('ctrl+r');
    await program.waitFor('› fix the upload test');
    program.press('enter');
    await program.waitFor((screen) => !screen.text().includes('sent ›'));
    expect(draft(program)).toBe('fix the upload test');
  });
});

describe('the editor', () => {
  function editor({ user }: Scene, script: string): Record<string, string> {
    const file = join(user.root, 'editor.sh');
    writeFileSync(file, `#!/bin/sh\n${script}\n`);
    chmodSync(file, 0o700);
    return { VISUAL: file };
  }

  it('gets the draft and gives it back, with the terminal as it was before', async () => {
    const made = await scene();
    const env = editor(
      made,
      'stty -a | grep -o " -*icanon"; echo "in the editor"; sed -i "s/one/two/" "$1"; read line',
    );
    const program = await chat(made, { env });
    await program.type('one word');
    await program.waitFor('› one word');
    const before = program.screen.modes();
    program.press('ctrl+g');
    await program.waitFor('in the editor');
    expect(program.isAlternate()).toBe(false);
    expect(program.screen.text()).toContain(' icanon');
    expect(program.screen.modes()).toMatchObject({ bracketedPaste: false, kittyDepth: 0 });
    program.resize(80, 24);
    program.write('done\r');
    await program.waitFor('› two word');
    expect(program.screen.modes()).toEqual(before);
    expect(program.screen.rows().length).toBe(24);
    await program.type('!');
    await program.waitFor('› two word!');
  });

  it('changes nothing when it fails', async () => {
    const made = await scene();
    const program = await chat(made, { env: editor(made, 'echo lost > "$1"; exit 3') });
    await program.type('one word');
    program.press('ctrl+g');
    await program.waitFor('The editor ended with code 3. The draft is as it was.');
    expect(draft(program)).toBe('one word');
  });
});

describe('long drafts', () => {
  it('show a long paste as one mark and send it whole', async () => {
    const made = await scene();
    const program = await chat(made);
    const long = Array.from({ length: 40 }, (_, at) => `line ${at}`).join('\n');
    await program.type('see ');
    program.paste(long);
    await program.waitFor('› see [pasted 40 lines]');
    program.press('backspace');
    await program.waitFor((screen) => !screen.text().includes('pasted'));
    program.write('\u001f');
    await program.waitFor('› see [pasted 40 lines]');
    program.press('enter');
    await program.waitFor('Heard.');
    expect(made.said).toEqual([`see ${long}`]);
  });

  it('say how much room is left, and are refused beyond it', async () => {
    const made = await scene();
    const program = await chat(made, { cols: 80, rows: 24 });
    program.paste('a'.repeat(14_000));
    await program.waitFor('2.4 KB left');
    program.paste('"'.repeat(2_300));
    await program.waitFor('84 B left');
    await program.type('x'.repeat(90));
    await program.waitFor('6 B too long');
    program.press('enter');
    await program.waitFor('The message has 16,390 bytes; a message may have 16,384.');
    expect(program.screen.text()).toContain('""""');
    expect(made.said).toEqual([]);
  });
});

describe('the queue', () => {
  async function waiting(made: Scene): Promise<PtyProgram> {
    const program = await chat(made);
    await say(program, 'wait');
    await program.waitFor('Waiting.');
    await say(program, 'second');
    await say(program, 'third');
    await program.waitFor(/queued: third .*Alt\+E edit +Alt\+X drop/);
    return program;
  }

  it('FC-12: gives two queued messages back in order when the turn is stopped', async () => {
    const made = await scene();
    const program = await waiting(made);
    program.press('escape');
    await program.waitFor('■ stopped');
    await program.waitFor('ready');
    expect(draft(program)).toBe('second\nthird');
    expect(made.said).toEqual(['wait']);
  });

  it('lets the newest be edited or dropped, and the draft is kept', async () => {
    const made = await scene();
    const program = await waiting(made);
    await program.type('fourth');
    program.press('alt+e');
    await program.waitFor((screen) => !screen.text().includes('queued: third'));
    expect(draft(program)).toMatch(/^third\nfourth\n/);
    program.press('alt+x');
    await program.waitFor('Dropped “second”.');
    await program.waitFor((screen) => !screen.text().includes('queued:'));
    program.press('alt+e');
    await program.waitFor('Nothing is queued.');
    expect(draft(program)).toBe('third\nfourth');
    expect(made.said).toEqual(['wait']);
  });
});

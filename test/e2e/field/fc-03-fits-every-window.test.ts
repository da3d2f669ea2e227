/** Fits every window, whatever the content. Frames of all sizes are also measured without a terminal in test/ui/frames.test.ts. */
import { describe, expect, it } from 'vitest';
import type { AppHome } from '../../support/app.ts';
import { FIELD_TIMEOUT, FieldStage, PATIENCE, say } from '../../support/field-stage.ts';
import type { PtyProgram } from '../../support/pty.ts';
import { VirtualScreen } from '../../support/virtual-screen.ts';

const stage = new FieldStage();

const DRAFT = 'half a thought';
const CODE = `const row = [${Array.from({ length: 70 }, (_, index) => `"s${index % 10}"`).join(', ')}];`;
const COLUMNS = Array.from({ length: 8 }, (_, index) => `column ${index + 1}`);
const TALK = [
  `A word: ${'long'.repeat(125)}`,
  `\`\`\`ts\n${CODE.slice(0, 300)}\n\`\`\``,
  `Wide: ${'漢字かな交じり文'.repeat(12)} end.`,
  `| ${COLUMNS.join(' | ')} |\n|${' --- |'.repeat(8)}\n| ${COLUMNS.map((name) => `${name} 値`).join(' | ')} |`,
  'The last words.',
].join('\n\n');

/** A talk with all of it, kept with its draft in the one session of the home. */
async function talk(): Promise<AppHome> {
  const { user } = await stage.answered(() => [{ text: TALK }]);
  const program = await stage.ready(user, { cols: 100, rows: 30 });
  await say(program, 'show');
  await program.waitFor('The last words.', PATIENCE);
  await program.waitFor('ready', PATIENCE);
  await program.type(DRAFT);
  await program.waitFor(DRAFT, PATIENCE);
  await end(program);
  return user;
}

async function end(program: PtyProgram): Promise<void> {
  program.kill('SIGTERM');
  await program.exit;
}

/** The same session anew; at rest once it shows the draft and nothing more comes. */
async function again(
  user: AppHome,
  size: { readonly cols: number; readonly rows: number },
): Promise<PtyProgram> {
  const program = stage.start(user, { ...size, args: ['--session', 'last'] });
  await settled(program);
  return program;
}

async function settled(program: PtyProgram): Promise<void> {
  const whole = (): boolean => {
    const text = program.screen.text();
    return text.includes(DRAFT) && /ready|Enter send/.test(text) && text.includes('The last words.');
  };
  await program.waitFor(whole, PATIENCE);
  await program.waitForQuiet(400);
  // A large picture comes in pieces: on a busy machine a pause may lie between two of them.
  await program.waitFor(() => drafts(program).length === 1, PATIENCE);
}

/** Every row with words of the draft. */
function drafts({ screen }: PtyProgram): string[] {
  return screen.rows().filter((row) => row.includes(DRAFT));
}

/** What the bytes draw outside of a window of this size, on a terminal that has more room. */
async function outside(bytes: string, cols: number, rows: number): Promise<string[]> {
  const roomy = new VirtualScreen({
    cols: cols + 40,
    rows: rows + 10,
    background: null,
    kittyKeyboard: 'unsupported',
    onReply: () => undefined,
  });
  await roomy.write(bytes);
  const drawn = roomy.rows();
  roomy.dispose();
  return [
    ...drawn.slice(0, rows).filter((row) => width(row) > cols),
    ...drawn.slice(rows).filter((row) => row !== ''),
  ];
}

/** Cells of what is shown here: wide characters are two. */
function width(row: string): number {
  return [...row].reduce(
    (sum, character) => sum + (/[\u3000-\u9fff\uff00-\uffef]/.test(character) ? 2 : 1),
    0,
  );
}

describe('FC-03 fits every window, whatever the content', FIELD_TIMEOUT, () => {
  it('at every size the frame is as large as the window and no larger', async () => {
    const user = await talk();
    for (const [cols, rows] of [
      [20, 8],
      [36, 10],
      [80, 24],
      [88, 24],
      [300, 90],
    ] as const) {
      const program = await again(user, { cols, rows });
      expect(await outside(program.bytes(), cols, rows), `${cols}×${rows}`).toEqual([]);
      expect(drafts(program), `${cols}×${rows}`).toEqual([` › ${DRAFT}`]);
      expect(program.screen.rows().at(-1), `${cols}×${rows}`).not.toBe('');
      await end(program);
    }
  });

  it('after 40 changes within a second it equals a fresh start at the last size', async () => {
    const user = await talk();
    const program = await again(user, { cols: 80, rows: 24 });
    const sizes = [80, 120, 40];
    for (let index = 0; index < 40; index += 1) {
      program.resize(sizes[index % 3] ?? 80, 24);
      await new Promise((done) => setTimeout(done, 20));
    }
    await settled(program);
    const rows = program.screen.rows();
    const cursor = program.screen.cursor();
    expect(drafts(program)).toEqual([` › ${DRAFT}`]);
    expect(program.bytes()).not.toContain('\u001b[3J');
    await end(program);
    const fresh = await again(user, { cols: 80, rows: 24 });
    expect(rows).toEqual(fresh.screen.rows());
    expect(cursor).toEqual(fresh.screen.cursor());
  });

  it('a window that is too small shows one notice, which goes away by itself', async () => {
    const user = await talk();
    const program = await again(user, { cols: 80, rows: 24 });
    program.resize(18, 6);
    await program.waitFor('Window too small', PATIENCE);
    await program.waitForQuiet(100);
    expect(program.screen.rows().filter((row) => row !== '')).toEqual(['Window too small']);
    program.resize(80, 24);
    await settled(program);
    expect(program.screen.text()).not.toContain('too small');
    expect(drafts(program)).toEqual([` › ${DRAFT}`]);
  });
});

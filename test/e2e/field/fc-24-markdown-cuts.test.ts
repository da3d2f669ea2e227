/** Markdown: the same picture however it is cut. The parser's own tests, random cuts among them, are in test/render/markdown-stream.test.ts. */
import { describe, expect, it } from 'vitest';
import { FieldStage, say } from '../../support/field-stage.ts';
import type { PtyProgram } from '../../support/pty.ts';

const stage = new FieldStage();

const CODE_ROWS = 120;
const CUTS = 50;
const LINK = `https://example.test/${'path/'.repeat(56)}`.slice(0, 300);
const CELL = Array.from({ length: 25 }, (_, index) => `cell${index + 100}`)
  .join(' ')
  .slice(0, 200);
const code = Array.from({ length: CODE_ROWS }, (_, index) => `const code${index + 1} = ${index + 1};`).join(
  '\n',
);
const ANSWER = `Here is the list.

1. first item
5. fifth item, long enough for a second row because it goes on and on until the window has no more room for it

   \`\`\`sh
   run --the item
   \`\`\`
6. sixth item
   - nested one
   - nested two, long enough for a second row because it goes on and on until the window ends
8. eighth item

| name | 値段 | note |
| --- | --- | --- |
| 漢字 | 12 | 👍 fine |
| plain | 3 | ${CELL} |

See [the page](${LINK}) for more.

\`\`\`ts
${code}
\`\`\`

The end comes with an open fence:

\`\`\`js
const open = "never closed";`;

/** The same places in every run. */
function cutsOf(text: string): string[] {
  let seed = 7;
  const places = new Set<number>();
  while (places.size < CUTS) {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    places.add(seed % text.length);
  }
  const ends = [...places].toSorted((left, right) => left - right);
  return [0, ...ends].map((from, index) => text.slice(from, ends[index] ?? text.length));
}

const DELIVERIES: Readonly<Record<string, readonly string[]>> = {
  whole: [ANSWER],
  bytes: [...ANSWER],
  pieces: cutsOf(ANSWER),
};

interface Picture {
  /** The rows of the answer. */
  readonly rows: readonly string[];
  /** Every word that was seen on the way. */
  readonly words: ReadonlySet<string>;
}

/** The answer's rows, from below the question to above the draft. */
function answerRows({ screen }: PtyProgram): string[] {
  const rows = screen.rows();
  const first = rows.findIndex((row) => row.startsWith('   you'));
  const last = rows.findLastIndex((row) => row.startsWith('───'));
  return first < 0 ? [] : rows.slice(first + 1, last).map((row) => row.trimEnd());
}

function wordsOf(rows: readonly string[]): string[] {
  return rows.join('\n').match(/[\p{L}\p{N}]{3,}/gu) ?? [];
}

async function picture(cols: number, delivery: string): Promise<Picture> {
  const { user } = await stage.answered(() => (DELIVERIES[delivery] ?? []).map((text) => ({ text })), {
    chunkChars: 1_000_000,
  });
  const program = await stage.ready(user, { cols, rows: 420 });
  const words = new Set<string>();
  await say(program, 'show');
  await program.waitFor(
    (screen) => {
      for (const word of wordsOf(answerRows(program))) words.add(word);
      return screen.text().includes('const open') && screen.text().includes('ready');
    },
    { timeoutMs: 60_000 },
  );
  await program.waitForQuiet(500);
  return { rows: answerRows(program).join('\n').trimEnd().split('\n'), words };
}

/** All of the text without what only frames it. */
function letters(rows: readonly string[]): string {
  return rows.join('').replaceAll(/[\s│─┼├┤┌┐└┘┬┴╭╮╰╯]/g, '');
}

describe.each([80, 30])('FC-24 markdown at %i columns', { timeout: 240_000 }, (cols) => {
  it('the same picture whole, byte by byte and in random cuts, with all of the text', async () => {
    const whole = await picture(cols, 'whole');
    for (const delivery of ['bytes', 'pieces']) {
      const { rows, words } = await picture(cols, delivery);
      expect(rows, delivery).toEqual(whole.rows);
      const final = letters(rows);
      expect(
        [...words].filter((word) => !final.includes(word)),
        delivery,
      ).toEqual([]);
    }
    const { rows } = whole;
    const text = letters(rows);
    for (const number of ['1.', '5.', '6.', '8.'])
      expect(
        rows.some((row) => row.trimStart().startsWith(`${number} `)),
        number,
      ).toBe(true);
    for (const words of [
      'firstitem',
      'run--theitem',
      'nestedone',
      'eighthitem',
      '漢字',
      '値段',
      'fine',
      'thepage',
      'neverclosed',
    ])
      expect(text.split(words).length, words).toBe(2);
    for (let row = 1; row <= CODE_ROWS; row += 1)
      expect(text.split(`constcode${row}=${row};`).length, `code ${row}`).toBe(2);
    for (const word of CELL.split(' ').slice(0, -1)) expect(text.split(word).length, word).toBe(2);
    expectHanging(rows);
    expectTable(rows);
  });
});

/** An item that goes on in another row starts there below its text. */
function expectHanging(rows: readonly string[]): void {
  const first = rows.findIndex((row) => row.includes('5. fifth'));
  const next = rows[first + 1] ?? '';
  expect(next.trim()).not.toBe('');
  expect(next.length - next.trimStart().length).toBe((rows[first] ?? '').indexOf('fifth'));
}

/** Every row between the edges of the table has them in the same cells. */
function expectTable(rows: readonly string[]): void {
  const table = rows.filter((row) => row.includes('│'));
  const edges = table.map((row) => edgeCells(row).join(' '));
  expect(table.length).toBeGreaterThanOrEqual(3);
  expect(new Set(edges).size).toBe(1);
}

function edgeCells(row: string): number[] {
  const cells: number[] = [];
  let at = 0;
  for (const { segment } of new Intl.Segmenter().segment(row)) {
    if (segment === '│') cells.push(at);
    at += /[\u3000-\u9fff]|\p{Extended_Pictographic}/u.test(segment) ? 2 : 1;
  }
  return cells;
}

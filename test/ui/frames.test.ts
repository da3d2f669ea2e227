import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Row, rowText } from '../../src/render/row.ts';
import { INITIAL, type State } from '../../src/store/state.ts';
import { type Block, fold } from '../../src/transcript/blocks.ts';
import type { Envelope } from '../../src/transcript/envelope.ts';
import { applyDelta, beginTurn } from '../../src/transcript/live-turn.ts';
import { INITIAL_ACTIVITY } from '../../src/ui/activity/activity-view.ts';
import { bufferOf } from '../../src/ui/composer/text-buffer.ts';
import { type Frame, type Size, SMALLEST } from '../../src/ui/frame.ts';
import { type PickerKind, pickerOf } from '../../src/ui/pickers/picker.ts';
import { activityFrame } from '../../src/ui/screens/activity.ts';
import { chatFrame } from '../../src/ui/screens/chat.ts';
import { helpFrame, sessionsFrame, setupFrame, tooSmallFrame } from '../../src/ui/screens/other.ts';
import { Talk } from '../../src/ui/talk.ts';
import { initialView, type View } from '../../src/ui/view.ts';

const HARD = [
  'x'.repeat(500),
  '漢字かな交じり文'.repeat(20),
  `\`\`\`ts\nconst a = "${'y'.repeat(300)}";\n\`\`\``,
  '| a | b | c | d | e | f | g | h |\n|---|---|---|---|---|---|---|---|\n| 1 | 2 | 漢 | 4 | 5 | 6 | 7 | 8 |',
  '\u001b]0;title\u0007\u001b[2J👩‍👩‍👧‍👦 \u202e txt\ttab',
];

function answer(id: string, text: string): Block {
  return { kind: 'answer', id, revision: 0, turn: 't', text, open: false };
}

function talkOf(rows: number): State {
  const history: Block[] = [];
  for (let index = 0; index < rows; index += 1) history.push(answer(`b${index}`, `row ${index}`));
  return {
    ...INITIAL,
    link: { kind: 'ready' },
    session: { id: 's', title: 'A title', control: 'mine' },
    history,
  };
}

function head(id: string) {
  return { id, time: 5, role: 'agent', turn: 't' } as const;
}

function toolStart(call: string, name: string, title: string): Envelope {
  return { ...head(call), ev: { t: 'tool-call-start', call, name, title, description: '', args: {} } };
}

function viewOf(size: Size, change: Partial<View> = {}): View {
  return { ...initialView(size, 0), ...change };
}

function draw(state: State, view: View, talk = new Talk()): Frame {
  return chatFrame({ state, view, talk, folder: '~/project', monotonic: 0 });
}

function expectFits(frame: Frame, size: Size): void {
  expect(frame.rows.length).toBe(size.rows);
  for (const row of frame.rows) expect(row.width).toBeLessThanOrEqual(size.columns);
  if (frame.cursor !== null) {
    expect(frame.cursor.x).toBeLessThan(size.columns);
    expect(frame.cursor.y).toBeLessThan(size.rows);
  }
}

function texts(rows: readonly Row[]): string[] {
  return rows.map((row) => rowText(row).trimEnd());
}

const sizes = fc.record({
  columns: fc.integer({ min: SMALLEST.columns, max: 300 }),
  rows: fc.integer({ min: SMALLEST.rows, max: 90 }),
});

describe('every screen', () => {
  it('is exactly as tall as the window and never wider, whatever it holds', () => {
    const tool: Block = {
      kind: 'tool',
      id: 'tool',
      revision: 0,
      call: 'c',
      name: 'bash\u001b[2J',
      title: 'x'.repeat(400),
      status: 'denied',
      startedAt: 0,
      durationMs: 61_000,
      output: '',
      diff: '--- a\n+++ b\n@@ -1 +1 @@\n-old\n+new',
      notice: 'not allowed '.repeat(30),
    };
    const history = [...HARD.map((text, index) => answer(`b${index}`, text)), tool];
    const choices = [
      { providerId: 'p', modelId: 'm', label: 'L'.repeat(90), detail: 'd'.repeat(400), howTo: '' },
    ];
    fc.assert(
      fc.property(sizes, fc.string({ maxLength: 400 }), (size, draft) => {
        const live = applyDelta(beginTurn('t', { newId: () => 'live', now: 0 }), HARD.join('\n'), {
          newId: () => 'open',
          now: 0,
        });
        const outbox = ['one', 'two\nthree', 'four', 'five'].map((text) => ({
          operationId: text,
          text,
          state: 'queued' as const,
          instanceId: null,
          after: 0,
        }));
        const state: State = { ...talkOf(0), history, live, outbox };
        const view = viewOf(size, { draft: bufferOf(draft), howTo: 'how '.repeat(60) });
        const rows = [{ id: 'x', title: '漢'.repeat(200), updatedAt: 0, where: 'elsewhere' as const }];
        const sessions = { rows, loading: false, incomplete: true, failure: 'no '.repeat(90) };
        expectFits(draw(state, view), size);
        expectFits(setupFrame(choices, state, view, '~/p'), size);
        expectFits(sessionsFrame({ ...state, sessions }, view, '~/p'), size);
        expectFits(helpFrame(1000, null, size), size);
      }),
      { numRuns: 60 },
    );
  });

  it('becomes one notice when the window is too small', () => {
    expectFits(tooSmallFrame({ columns: 12, rows: 3 }), { columns: 12, rows: 3 });
  });
});

describe('a question of the agent', () => {
  const asking = (args: Record<string, unknown>, more = 0): State => {
    const question = {
      call: 'c',
      toolName: 'bash',
      title: 'x'.repeat(300),
      description: '',
      args,
      rules: ['bash: x'],
    };
    const turn = beginTurn('t', { newId: () => 'live', now: 0 }, 'envelopes');
    const questions = Array.from({ length: more + 1 }, () => question);
    return { ...talkOf(40), live: { ...turn, envelopes: { settled: [], pending: [], questions } } };
  };

  it('fits every window and always says what to press', () => {
    const diff = `--- a\n+++ b\n@@ -1,40 +1,40 @@\n${Array.from({ length: 40 }, (_, i) => `-old ${i}\n+new ${i}`).join('\n')}`;
    const args = fc.constantFrom(
      { command: `${HARD.join('\n')}\n${'line\n'.repeat(60)}` },
      { path: '/etc/hosts', diff },
      { deep: [{ er: HARD }] },
    );
    fc.assert(
      fc.property(sizes, args, fc.nat(3), (size, given, more) => {
        const frame = draw(asking(given, more), viewOf(size));
        expectFits(frame, size);
        expect(texts(frame.rows).join('\n')).toContain('F6');
      }),
      { numRuns: 60 },
    );
  });

  it('offers no rule where none can be written', () => {
    const state = asking({ command: 'a $(b)' });
    const live = state.live;
    if (live === null || live.envelopes === null) throw new Error('no turn');
    const questions = live.envelopes.questions.map((question) => ({ ...question, rules: [] }));
    const without = { ...state, live: { ...live, envelopes: { ...live.envelopes, questions } } };
    const rows = texts(draw(without, viewOf({ columns: 80, rows: 30 })).rows).join('\n');
    expect(rows).toContain('F6 once   F8 no   F9 in full');
  });

  it('shows the command with its hidden letters, how much is left out, and how many wait', () => {
    const command = `echo safe\u200b\u202e; rm -rf ~\n${'more\n'.repeat(40)}`;
    const rows = texts(draw(asking({ command }, 2), viewOf({ columns: 80, rows: 30 })).rows).join('\n');
    expect(rows).toMatch(/ \? bash asks for permission +2 more after this/);
    expect(rows).toMatch(/echo safe.*202e.*rm -rf ~/i);
    expect(rows).toMatch(/… \d+ more rows/);
    expect(rows).toContain('F6 once   F7 always   F8 no');
    expect(rows).toContain('waiting for your answer');
  });
});

describe('the activity', () => {
  const history = fold(
    [],
    [
      toolStart('t1', 'task', HARD[1] ?? ''),
      { ...head('s'), ev: { t: 'subagent-start', agentId: 'sa', title: HARD[1] ?? '' } },
      { ...toolStart('c1', 'bash\u001b[2J', HARD[4] ?? ''), subagent: 'sa' },
      { ...toolStart('c2', 'read', 'x'.repeat(300)), subagent: 'sa' },
      { ...head('e'), ev: { t: 'tool-call-end', call: 'c1', status: 'error', durationMs: 61_000 } },
    ],
  );
  const quiet = { ...beginTurn('t', { newId: () => 'live', now: 0 }), blocks: history, dropped: 3 };

  it('fits beside the talk and on a screen of its own, at every size', () => {
    fc.assert(
      fc.property(sizes, fc.boolean(), fc.boolean(), (size, hasKeys, runs) => {
        const activity = { ...INITIAL_ACTIVITY, shown: 'on' as const, hasKeys };
        const view = viewOf(size, { activity });
        const state: State = { ...talkOf(30), ...(runs ? { live: quiet } : { history }) };
        expectFits(draw(state, view), size);
        expectFits(activityFrame(state, view), size);
      }),
      { numRuns: 60 },
    );
  });

  it('stands in a column of its own from 110 columns on, and nowhere before', () => {
    const state: State = { ...talkOf(30), live: quiet };
    const activity = { ...INITIAL_ACTIVITY, isBusy: true };
    const rowsAt = (columns: number): string[] =>
      texts(draw(state, viewOf({ columns, rows: 24 }, { activity })).rows);
    expect(rowsAt(110)[2]?.slice(73)).toMatch(/^│ Activity/);
    expect(rowsAt(110).join('\n')).toContain('┆ 3 updates not told');
    expect(rowsAt(109).join('\n')).not.toContain('not told');
  });
});

describe('a list to choose from', () => {
  it('fits every window, together with a question, a long draft and what waits', () => {
    const kinds = fc.constantFrom<PickerKind>('model', 'thinking', 'permission', 'choices');
    fc.assert(
      fc.property(sizes, kinds, fc.constantFrom(...HARD), (size, kind, draft) => {
        const picker = { ...pickerOf(kind), field: bufferOf(HARD[1] ?? '') };
        const state: State = { ...talkOf(30), telling: 'envelopes', notice: { text: draft, tone: 'warn' } };
        expectFits(draw(state, viewOf(size, { picker, draft: bufferOf(draft) })), size);
        expectFits(draw(state, viewOf(size, { picker: pickerOf(kind) })), size);
      }),
      { numRuns: 60 },
    );
  });
});

describe('the talk', () => {
  const size = { columns: 60, rows: 20 };

  it('follows its end', () => {
    expect(texts(draw(talkOf(100), viewOf(size)).rows).join('\n')).toContain('row 99');
  });

  it('stays where the reader is while blocks come, and says how much is below', () => {
    const talk = new Talk();
    const before = talkOf(100);
    const scroll = talk.scrolled(before, { kind: 'tail' }, { width: 57, height: 15 }, -50);
    const view = viewOf(size, { scroll });
    const first = texts(draw(before, view, talk).rows)[2];
    const after = { ...before, history: [...before.history, ...talkOf(130).history.slice(100)] };
    const rows = texts(draw(after, view, talk).rows);
    expect(rows[2]).toBe(first);
    expect(rows.join('\n')).toMatch(/60 new rows/);
  });

  it('follows again once the reader is back at the end', () => {
    const talk = new Talk();
    const state = talkOf(100);
    const area = { width: 57, height: 15 };
    const up = talk.scrolled(state, { kind: 'tail' }, area, -50);
    expect(up.kind).toBe('at');
    expect(talk.scrolled(state, up, area, 50)).toEqual({ kind: 'tail' });
  });

  it('jumps from question to question', () => {
    const talk = new Talk();
    const history: Block[] = talkOf(60).history.flatMap((block, index) =>
      index % 20 === 0
        ? [{ kind: 'user' as const, id: `u${index}`, revision: 0, text: `question ${index}` }, block]
        : [block],
    );
    const state = { ...talkOf(0), history };
    const area = { width: 57, height: 15 };
    const once = talk.turn(state, { kind: 'tail' }, area, 'before');
    const twice = talk.turn(state, once, area, 'before');
    expect([once, twice]).toMatchObject([{ block: 'u40' }, { block: 'u20' }]);
    expect(talk.turn(state, twice, area, 'after')).toMatchObject({ block: 'u40' });
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { INITIAL, type State } from '../../../src/store/state.ts';
import type { AnswerBlock, Block, ToolBlock } from '../../../src/transcript/blocks.ts';
import { beginTurn, type LiveTurn } from '../../../src/transcript/live-turn.ts';
import { Speaker } from '../../../src/ui/plain/speaker.ts';

const READY: State = {
  ...INITIAL,
  link: { kind: 'ready' },
  session: { id: 's', title: 'A title', control: 'mine' },
};
const TURN = beginTurn('t', { newId: () => 'x', now: 0 });

function answer(text: string, change: Partial<AnswerBlock> = {}): AnswerBlock {
  return { kind: 'answer', id: 'a', revision: 0, turn: 't', text, open: true, ...change };
}

function tool(change: Partial<ToolBlock> = {}): ToolBlock {
  return {
    kind: 'tool',
    id: 'tool',
    revision: 0,
    call: 'c',
    name: 'bash',
    title: 'npm test',
    status: 'running',
    startedAt: 0,
    durationMs: null,
    output: '',
    diff: '',
    notice: '',
    ...change,
  };
}

function running(blocks: readonly Block[], change: Partial<LiveTurn> = {}): State {
  return { ...READY, live: { ...TURN, ...change, blocks } };
}

function begun(): Speaker {
  const speaker = new Speaker();
  speaker.hear(READY);
  return speaker;
}

describe('the speaker', () => {
  it('says whole lines of an answer as they come, and the rest at its end', () => {
    const speaker = begun();
    expect(speaker.hear(running([]))).toEqual(['The agent works.']);
    expect(speaker.hear(running([answer('One li')]))).toEqual([]);
    expect(speaker.hear(running([answer('One line.\nTwo')]))).toEqual(['Agent: One line.']);
    const whole = answer('One line.\nTwo lines.', { open: false });
    expect(speaker.hear({ ...READY, history: [whole] })).toEqual(['Two lines.', 'The turn has ended.']);
    expect(speaker.hear({ ...READY, history: [whole] })).toEqual([]);
  });

  it('does not repeat an answer that comes back from the history under another name', () => {
    const speaker = begun();
    speaker.hear(running([]));
    speaker.hear(running([answer('One line.\nTwo')]));
    const saved = answer('One line.\nTwo lines.', { id: 'other', open: false });
    expect(speaker.hear({ ...READY, history: [saved] })).toEqual(['Two lines.', 'The turn has ended.']);
    const again = answer('One line.\nTwo lines.', { id: 'third', open: false });
    expect(speaker.hear({ ...READY, history: [again] })).toEqual([]);
  });

  it('says when a tool begins and how it ends, each once', () => {
    const speaker = begun();
    expect(speaker.hear(running([tool()]))).toEqual(['The agent works.', 'Tool bash: npm test']);
    const ended = tool({ status: 'error', durationMs: 1_200 });
    expect(speaker.hear(running([ended]))).toEqual(['Tool bash: failed, 1.2 s']);
    expect(speaker.hear(running([ended, answer('So.\n')]))).toEqual(['Agent: So.']);
  });

  it('asks a question once, with what exactly would run', () => {
    const speaker = begun();
    const question = {
      call: 'c',
      toolName: 'bash',
      title: 'rm',
      description: '',
      args: { command: 'rm -rf \u202edist' },
      rules: ['bash: rm *'],
    };
    const asking = running([], { envelopes: { settled: [], pending: [], questions: [question] } });
    expect(speaker.hear(asking)).toEqual([
      'The agent works.',
      'The agent asks: bash wants to run:',
      'rm -rf ⟨U+202E⟩dist',
      'Type y to allow it once, a to allow it always (bash: rm *), n to deny it.',
    ]);
    expect(speaker.hear({ ...asking })).toEqual([]);
  });

  it('says of an opened session its name and the last answer, not the whole past', () => {
    const speaker = new Speaker();
    speaker.hear({ ...READY, session: null });
    const history = [answer('Old.', { id: '1', open: false }), answer('Last.', { id: '2', open: false })];
    expect(speaker.hear({ ...READY, historyState: 'loading' })).toEqual([]);
    expect(speaker.hear({ ...READY, history })).toEqual(['Session: A title', 'Agent, last: Last.']);
    expect(speaker.hear({ ...READY, history: [...history] })).toEqual([]);
  });

  it('says every word of an answer once however it is cut, and no control character', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary', maxLength: 12 }), { maxLength: 12 }), (pieces) => {
        const speaker = begun();
        const said: string[] = [];
        let text = '';
        for (const piece of ['go\n', ...pieces]) {
          text += piece;
          said.push(...speaker.hear(running([answer(text)])));
        }
        said.push(...speaker.hear({ ...READY, history: [answer(text, { open: false })] }));
        const once = begun();
        once.hear(running([]));
        const whole = once.hear({ ...READY, history: [answer(text, { open: false })] });
        const words = (lines: readonly string[]): string =>
          lines.filter((line) => line !== 'The agent works.').join('\n');
        expect(words(said)).toBe(words(whole));
        expect(words(said)).not.toMatch(/[^\P{Cc}\n\t]/u);
      }),
    );
  });
});

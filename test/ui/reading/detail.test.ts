import { describe, expect, it } from 'vitest';
import type { Block, ToolBlock } from '../../../src/transcript/blocks.ts';
import { beginTurn } from '../../../src/transcript/live-turn.ts';
import { bufferOf } from '../../../src/ui/composer/text-buffer.ts';
import { answered, DeskScene, toolCall } from './desk.ts';

const LINES = (from: number, to: number): string =>
  Array.from({ length: to - from }, (_, index) => `line ${from + index}\n`).join('');

/** A service that has 1,000 lines of output, and gives so many bytes at once. */
function withOutput(scene: DeskScene, bytes: number): void {
  const whole = LINES(0, 1_000);
  scene.outputs = async (_call, offset) => {
    const text = whole.slice(offset, offset + bytes);
    const next = offset + text.length;
    return { text, next: next < whole.length ? next : null, total: whole.length };
  };
}

async function settled(): Promise<void> {
  for (let turns = 0; turns < 60; turns += 1) await Promise.resolve();
}

describe('a tool call in full', () => {
  it('reads what the talk does not keep, more of it as the reader goes on, and goes back to the same place', async () => {
    const scene = new DeskScene([
      answered('a', 'words'),
      toolCall('t', LINES(0, 10), LINES(0, 1_000).length),
    ]);
    withOutput(scene, 200);
    scene.run('transcript.browse');
    const before = scene.screen();
    scene.press('o');
    expect(scene.screen().join('\n')).toContain('reading…');
    await settled();
    expect(scene.screen().join('\n')).toMatch(/output · 1\.6 KB of 8\.9 KB read[\s\S]*line 5/);
    scene.press('end');
    await settled();
    expect(scene.view.detail?.output?.read).toBe(3_200);
    for (let pages = 0; pages < 10; pages += 1) {
      scene.press('end');
      await settled();
    }
    expect(scene.screen().join('\n')).toContain('line 999');
    scene.press('c');
    expect(scene.copied).toEqual([LINES(0, 1_000)]);
    scene.press('escape');
    expect(scene.screen()).toEqual(before);
  });

  it('shows what is kept where no more can be read, and says so', async () => {
    const scene = new DeskScene([toolCall('t', 'the start', 5_000)]);
    scene.run('transcript.browse');
    scene.press('o');
    await settled();
    expect(scene.screen().join('\n')).toMatch(/only its start could be read, of 5\.0 KB[\s\S]*the start/);
  });

  it('of a tool that runs tells what there is, and looks again at the end', async () => {
    const running: Block = { ...(toolCall('t', '') as ToolBlock), status: 'running' };
    const scene = new DeskScene([running]);
    scene.run('transcript.browse');
    scene.press('o');
    await settled();
    expect(scene.screen().join('\n')).toContain('nothing to be read yet');
    withOutput(scene, 9_000);
    scene.press('end');
    await settled();
    expect(scene.view.detail?.output).toMatchObject({ state: 'more', read: LINES(0, 1_000).length });
    scene.press('end');
    expect(scene.screen().join('\n')).toContain('line 999');
  });

  it('takes nothing that comes after it was closed', async () => {
    const scene = new DeskScene([toolCall('t', 'the start', 5_000)]);
    withOutput(scene, 200);
    scene.run('transcript.browse');
    scene.press('o', 'q');
    await settled();
    expect(scene.view.detail).toBeNull();
  });
});

describe('a question', () => {
  function asking(rules: readonly string[]): DeskScene {
    const scene = new DeskScene([answered('a', 'words')]);
    const turn = beginTurn('t', { newId: () => 'x', now: 0 }, 'envelopes');
    const args = { command: 'rm -rf dist && npm run build' };
    const question = { call: 'c', toolName: 'bash', title: args.command, description: '', args, rules };
    const envelopes = { settled: [], pending: [], questions: [question] };
    scene.update((state) => ({ ...state, live: { ...turn, envelopes } }));
    return scene;
  }

  it('says what would run, where, and for which part there is no rule', () => {
    const shown = asking(['bash: rm -rf dist']).screen().join('\n');
    expect(shown).toContain('rm -rf dist && npm run build');
    expect(shown).toMatch(/in ~\/p · not confined\n +asked because there is no rule for ‘rm -rf dist’/);
  });

  it('is shown in full on its key, and Esc is back at it', () => {
    const scene = asking(['bash: rm -rf dist']);
    scene.press('f9');
    expect(scene.screen().join('\n')).toMatch(
      /command {2}rm -rf dist && npm run build[\s\S]*always would allow/,
    );
    scene.press('escape');
    expect(scene.screen().join('\n')).toContain('asks for permission');
  });

  it('is denied with a reason: the draft, said right behind the no', () => {
    const scene = asking([]);
    scene.press('f10');
    expect([scene.said, scene.calls]).toEqual([['Write the reason first, then F10.'], []]);
    scene.desk.view.update((view) => ({ ...view, draft: bufferOf('use trash instead') }));
    scene.press('f10');
    expect(scene.calls).toEqual(['answer deny', 'steer use trash instead']);
    expect(scene.view.draft.text).toBe('');
  });

  it('says why it cannot be allowed always', () => {
    const scene = asking([]);
    scene.press('f7');
    expect([scene.said, scene.calls]).toEqual([['No rule can say this: F6 allows it once.'], []]);
  });
});

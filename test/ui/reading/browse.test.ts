import { describe, expect, it } from 'vitest';
import { bufferOf } from '../../../src/ui/composer/text-buffer.ts';
import { answered, DeskScene, said, toolCall } from './desk.ts';

const LINES = (count: number, word = 'line'): string =>
  Array.from({ length: count }, (_, index) => `${word} ${index}`).join('\n');

function talk(): DeskScene {
  const scene = new DeskScene([
    said('u1', 'first question'),
    toolCall('t1', LINES(40, 'out')),
    answered('a1', 'Run:\n\n```sh\nnpm test\n```\n\nthen\n\n- a list\n\n  ```js\n  one()\n  ```\n'),
    said('u2', LINES(30, 'pasted')),
    answered('a2', LINES(30, 'paragraph').replaceAll('\n', '\n\n')),
  ]);
  scene.desk.view.update((view) => ({ ...view, draft: bufferOf('half a thought') }));
  return scene;
}

/** The scroll bar learns heights as the reader goes. */
function withoutBar(scene: DeskScene): string[] {
  return scene.screen().map((row) => row.replace(/[█│]$/, ''));
}

describe('going through the talk', () => {
  it('chooses block by block, brings each into view, and goes back to where the reader was', () => {
    const scene = talk();
    const before = withoutBar(scene);
    scene.run('transcript.browse');
    expect(scene.view.browse?.block).toBe('a2');
    scene.press('k', 'up');
    expect(scene.view.browse?.block).toBe('a1');
    expect(scene.screen().some((row) => row.startsWith('▌') && row.includes('Run:'))).toBe(true);
    scene.press('g');
    expect(scene.screen().find((row) => row.startsWith('▌'))).toContain('first question');
    scene.press('G', 'escape');
    expect(scene.view.browse).toBeNull();
    expect(withoutBar(scene)).toEqual(before);
    expect(scene.view.draft.text).toBe('half a thought');
  });

  it('unfolds and folds the chosen block where it stands', () => {
    const scene = talk();
    scene.run('transcript.browse');
    scene.press('g', 'j');
    expect(scene.view.browse?.block).toBe('t1');
    scene.press('enter');
    expect(scene.screen().join('\n')).toMatch(/▾ bash[\s\S]*out 0/);
    scene.press('space', 'enter');
    expect(scene.screen().join('\n')).toMatch(/▸ bash/);
    scene.press('k', 'enter');
    expect(scene.said).toEqual(['It is shown whole already.']);
  });

  it('copies a block as it was written, and the code in it piece by piece', async () => {
    const scene = talk();
    scene.run('transcript.browse');
    scene.press('k', 'k', 'c', 'y', 'y', 'y', 'k', 'y');
    await Promise.resolve();
    expect(scene.copied.slice(1)).toEqual(['npm test', 'one()', 'npm test']);
    expect(scene.copied[0]).toMatch(/^Run:\n\n```sh\nnpm test/);
    expect(scene.said.at(0)).toMatch(/No piece of code/);
    expect(scene.said).toContain('Copied: piece 2 of 2, 5 characters.');
  });

  it('copies a selection of blocks as a conversation', async () => {
    const scene = new DeskScene([said('u', 'Why?'), toolCall('t', 'out'), answered('a', '\n**So.**\n')]);
    scene.run('transcript.browse');
    scene.press('v', 'g');
    expect(scene.screen().filter((row) => row.startsWith('▌'))).toHaveLength(3);
    scene.press('c');
    await Promise.resolve();
    expect(scene.copied).toEqual(['You: Why?\n\n[bash] ls\n\n**So.**']);
    expect(scene.said).toContain('Copied: 3 blocks, 29 characters.');
    expect(scene.screen().filter((row) => row.startsWith('▌'))).toHaveLength(1);
  });

  it('goes from mark to mark and says what each means', () => {
    const scene = talk();
    scene.update((state) => ({
      ...state,
      marks: [
        { kind: 'dropped', at: 'a1', count: 3, time: null },
        { kind: 'control', at: 'u1', count: 1, time: null, holder: 'other' },
      ],
    }));
    scene.run('transcript.browse');
    scene.press('M');
    expect(scene.view.browse?.block).toBe('a1');
    expect(scene.screen().some((row) => row.startsWith('┆') && row.includes('Run:'))).toBe(true);
    expect(scene.screen().join('\n')).toContain('left out 3 reports');
    scene.press('M');
    expect(scene.screen().join('\n')).toContain('Another window took over');
    scene.press('M');
    expect(scene.said).toEqual(['No mark further up.']);
  });

  it('with all well the edge is empty', () => {
    expect(
      talk()
        .screen()
        .slice(2, 15)
        .every((row) => row === '' || row.startsWith(' ')),
    ).toBe(true);
  });

  it('Ctrl+C goes back to writing and touches nothing else', () => {
    const scene = talk();
    scene.run('transcript.browse');
    scene.press('o');
    scene.run('chat.interrupt');
    expect([scene.view.detail, scene.view.browse?.block]).toEqual([null, 'a2']);
    scene.run('chat.interrupt');
    expect([scene.view.browse, scene.view.draft.text]).toEqual([null, 'half a thought']);
  });
});

describe('what is in view', () => {
  it('unfolds its tool calls together and keeps the row at the top', () => {
    const scene = new DeskScene([
      ...Array.from({ length: 12 }, (_, index) => toolCall(`t${index}`, `a${index}\nb${index}`)),
      ...Array.from({ length: 30 }, (_, index) => answered(`a${index}`, `row ${index}`)),
    ]);
    scene.run('transcript.row-up');
    for (let pages = 0; pages < 9; pages += 1) scene.run('transcript.page-up');
    const [top] = scene.screen().slice(2);
    scene.run('transcript.fold-tools');
    expect(scene.screen()[2]).toBe(top?.replace('▸', '▾'));
    expect(scene.screen().join('\n')).toContain('b0');
    scene.run('transcript.fold-tools');
    expect(scene.screen().join('\n')).not.toContain('b0');
  });

  it('says so when there is nothing to unfold', () => {
    const scene = new DeskScene([answered('a', 'words')]);
    scene.run('transcript.fold-tools');
    expect(scene.said).toEqual(['No tool call in view has details.']);
  });
});

describe('new rows', () => {
  const grown = (scene: DeskScene, count: number): void =>
    scene.update((state) => ({
      ...state,
      history: [
        ...state.history,
        ...Array.from({ length: count }, (_, index) => answered(`n${state.history.length + index}`, 'new')),
      ],
    }));

  it('are counted apart from those that were below anyway', () => {
    const scene = talk();
    scene.run('transcript.page-up');
    expect(scene.screen().join('\n')).toMatch(/\d+ rows below/);
    grown(scene, 3);
    expect(scene.screen().join('\n')).toMatch(/ 6 new rows ↓/);
  });

  it('have a line in front once the reader is back at the end, until something is sent', () => {
    const scene = talk();
    scene.run('transcript.page-up');
    grown(scene, 1);
    scene.run('transcript.bottom');
    expect(scene.screen().join('\n')).toMatch(/─ new ─+[^\n]*\n[^\n]*new/);
    scene.run('transcript.page-up');
    scene.run('transcript.bottom');
    expect(scene.screen().join('\n')).not.toContain('─ new ─');
  });
});

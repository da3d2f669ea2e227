import { describe, expect, it } from 'vitest';
import { editField } from '../../../src/ui/commands/search.ts';
import { insert } from '../../../src/ui/composer/text-buffer.ts';
import { answered, DeskScene, said, toolCall } from './desk.ts';

function talk(): DeskScene {
  return new DeskScene([
    said('u1', 'needle in a question'),
    toolCall('t1', 'deep down\na needle\n'),
    ...Array.from({ length: 40 }, (_, index) => answered(`a${index}`, `row ${index}`)),
    answered('last', 'a needle and a needle'),
  ]);
}

function type(scene: DeskScene, text: string): void {
  for (const character of text) editField(scene.desk, (field) => insert(field, character));
}

function ruleOf(scene: DeskScene): string {
  return scene.screen().find((row) => row.includes('search:')) ?? '';
}

describe('searching', () => {
  it('counts while typing, goes round with Enter, and unfolds what hides a find', () => {
    const scene = talk();
    scene.run('transcript.search');
    type(scene, 'needle');
    expect(ruleOf(scene)).toMatch(/search: needle +3 of 4$/);
    scene.press('enter', 'enter');
    expect(ruleOf(scene)).toMatch(/1 of 4$/);
    expect(scene.screen().join('\n')).toContain('needle in a question');
    scene.press('enter');
    expect(scene.screen().join('\n')).toMatch(/▾ bash[\s\S]*a needle/);
    scene.press('up', 'up');
    expect(ruleOf(scene)).toMatch(/4 of 4$/);
  });

  it('Esc folds again what the search unfolded', () => {
    const scene = talk();
    scene.run('transcript.search');
    type(scene, 'deep down');
    expect(scene.screen().join('\n')).toMatch(/▾ bash[\s\S]*deep down/);
    scene.press('escape');
    scene.run('transcript.browse');
    scene.press('g');
    expect(scene.screen().join('\n')).toMatch(/▸ bash/);
  });

  it('Esc goes back to where the reader was, Ctrl+F stays', () => {
    const scene = talk();
    const before = scene.screen();
    scene.run('transcript.search');
    type(scene, 'row 5');
    scene.press('escape');
    expect(scene.screen()).toEqual(before);
    scene.run('transcript.search');
    expect(ruleOf(scene)).toContain('row 5');
    scene.run('search.keep');
    expect(scene.view.search).toBeNull();
    expect(scene.screen()).not.toEqual(before);
  });

  it('the writing keys edit the field and leave the draft alone; a pasted line end is a space', () => {
    const scene = talk();
    scene.run('transcript.search');
    type(scene, 'row 1');
    scene.run('composer.kill-word-back');
    scene.run('composer.newline');
    scene.run('composer.steer');
    editField(scene.desk, (field) => insert(field, '3\n9'));
    expect(ruleOf(scene)).toContain('search: row 3 9');
    expect(scene.view.draft.text).toBe('');
    expect(scene.calls).toEqual([]);
  });

  it('says what it has not looked at, and reads on when asked', async () => {
    const scene = talk();
    scene.update((state) => ({ ...state, edges: { ...state.edges, above: 'more' } }));
    scene.earlier = async () =>
      scene.update((state) => ({
        ...state,
        edges: { ...state.edges, above: 'beginning' },
        history: [said('u0', 'the oldest word'), ...state.history],
      }));
    scene.run('transcript.search');
    type(scene, 'oldest');
    expect(ruleOf(scene)).toMatch(/not found in what is loaded$/);
    scene.press('enter');
    await new Promise(setImmediate);
    expect(ruleOf(scene)).toMatch(/1 of 1$/);
    expect(scene.screen().join('\n')).toContain('the oldest word');
  });

  it('n and N go on from there block by block', () => {
    const scene = talk();
    scene.run('transcript.search');
    type(scene, 'needle');
    scene.run('transcript.browse');
    expect([scene.view.search, scene.view.browse?.block]).toEqual([null, 'last']);
    scene.press('N');
    expect(scene.view.browse?.block).toBe('t1');
    scene.press('N', 'N');
    expect(scene.view.browse?.at).toEqual({ block: 'last', nth: 1 });
  });
});

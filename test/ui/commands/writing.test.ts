/** What the writing commands do and say, without a service. */
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { beginTurn } from '../../../src/transcript/live-turn.ts';
import { attachDropped, attachPath } from '../../../src/ui/commands/attach.ts';
import { withInserted, withText } from '../../../src/ui/composer/draft.ts';
import { historyOf } from '../../../src/ui/composer/history.ts';
import { DeskScene } from '../reading/desk.ts';

let folder = '';
let scene = new DeskScene([]);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'magi-term-writing-'));
  const made = new DeskScene([]);
  Object.assign(made.desk, { workspace: folder });
  scene = made;
});
afterEach(() => rmSync(folder, { recursive: true }));

const speak = (telling: 'activity' | 'envelopes') =>
  scene.update((state) => ({ ...state, telling, service: { name: 's', version: '1' } }));

function file(name: string, bytes = 9): string {
  writeFileSync(join(folder, name), '\u0089PNG\r\n\u001a\n', 'latin1');
  truncateSync(join(folder, name), bytes);
  return join(folder, name);
}

describe('files', () => {
  it('go with the draft, each once, as many as a message takes, none that is too large', () => {
    speak('envelopes');
    attachPath(file('a.png'), scene.desk);
    attachPath('@"a.png"', scene.desk);
    expect(scene.view.attachments.map(({ kind, name }) => [kind, name])).toEqual([['image', 'a.png']]);
    attachPath(file('big.png', 10_485_761), scene.desk);
    for (let at = 0; at < 8; at += 1) attachPath(file(`${at}.png`), scene.desk);
    attachPath('none', scene.desk);
    attachPath('', scene.desk);
    expect(scene.view.attachments.length).toBe(8);
    expect(scene.said).toEqual([
      'a.png is there already.',
      'big.png has 10.5 MB: a file may have 10.5 MB.',
      'A message takes at most 8 files.',
      'There is no file none that can be read.',
      'Which file? Write /attach and its path.',
    ]);
  });

  it('are named in the draft where the service takes none', () => {
    speak('activity');
    expect(attachDropped(`'${file('my shot.png')}'`, scene.desk)).toBe(true);
    expect(scene.view).toMatchObject({
      attachments: [],
      draft: { text: `@"${join(folder, 'my shot.png')}" ` },
    });
    expect(scene.said).toEqual(['This service takes no files: the path stands in the draft.']);
  });

  it('that are dropped and are no images stay text', () => {
    writeFileSync(join(folder, 'notes.md'), 'text');
    expect(attachDropped(join(folder, 'notes.md'), scene.desk)).toBe(false);
    expect(attachDropped('see this', scene.desk)).toBe(false);
  });

  it('are taken off by Backspace at the start of the draft only', () => {
    attachPath(file('a.png'), scene.desk);
    scene.desk.view.update((seen) => withInserted(seen, 'x', 'typed'));
    scene.run('composer.delete-back');
    expect(scene.view.attachments.length).toBe(1);
    scene.run('composer.delete-back');
    expect(scene.view.attachments).toEqual([]);
  });
});

describe('commands in words', () => {
  const write = (text: string) => scene.desk.view.update((seen) => withText(seen, text));

  it('run, and leave the draft empty', () => {
    write('/help');
    scene.run('composer.send');
    expect(scene.view).toMatchObject({ help: 0, draft: { text: '' } });
  });

  it('keep a draft that was left for an older message, with its folded paste', () => {
    scene.desk.view.update((seen) => ({
      ...withInserted(seen, 'p\n'.repeat(40), 'pasted'),
      prompts: historyOf(['old']),
    }));
    scene.run('composer.history-previous');
    write('/help');
    scene.run('composer.send');
    scene.desk.view.update((seen) => ({ ...seen, help: null }));
    scene.run('composer.history-next');
    expect(scene.view.folds.size).toBe(1);
    expect(scene.screen().join('\n')).toContain('[pasted 40 lines]');
  });

  it('say what they cannot do', () => {
    for (const text of ['/nothing', '/help me', '/stop', '/attach']) {
      write(text);
      scene.run('composer.send');
    }
    expect(scene.said).toEqual([
      'There is no command /nothing. To send it as it is, put a space in front.',
      '/help takes nothing behind it. To send it as it is, put a space in front.',
      'No turn is running.',
      'Which file? Write /attach and its path.',
    ]);
  });
});

describe('what was queued', () => {
  it('cannot be had back when there is nothing, and what was steered is said to be gone', () => {
    Object.assign(scene.desk.conversation, { takeBack: () => null, drop: () => null });
    scene.run('composer.edit-queued');
    const live = beginTurn('t', { newId: () => 'i', now: 0 }, 'envelopes');
    scene.update((state) => ({ ...state, live }));
    scene.run('composer.drop-queued');
    expect(scene.said).toEqual([
      'Nothing is queued.',
      'Nothing is queued. What was said into the turn cannot be taken back.',
    ]);
  });

  it('is in the history once it was dropped', () => {
    Object.assign(scene.desk.conversation, { drop: () => 'then\nrun the linter' });
    scene.run('composer.drop-queued');
    expect(scene.view.prompts.entries).toEqual(['then\nrun the linter']);
    expect(scene.said).toEqual(['Dropped “then run the linter”. ↑ brings it back: it is in the history.']);
  });
});

describe('finding a sent message', () => {
  it('says when there is none', () => {
    scene.run('composer.history-search');
    expect(scene.said).toEqual(['Nothing was sent yet: there is nothing to find.']);
    expect(scene.view.historySearch).toBeNull();
  });
});

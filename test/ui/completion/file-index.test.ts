import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FileIndex, MAX_ENTRIES } from '../../../src/ui/completion/file-index.ts';

function indexOf(files: readonly string[]): FileIndex {
  const index = new FileIndex();
  index.add(files);
  return index;
}

function found(index: FileIndex, query: string, recent: readonly string[] = []): string[] {
  return index.search({ query, recent, limit: 50 }).items.map(({ path }) => path);
}

const FILES = ['README.md', 'src/app.ts', 'src/ui/view.ts', 'src/ui/viewer.ts', 'test/ui/view.test.ts'];

describe('the index of files', () => {
  it('lists the top when nothing is asked for: folders first, and before them what was chosen lately', () => {
    const index = indexOf(FILES);
    expect(found(index, '')).toEqual(['src/', 'test/', 'README.md']);
    expect(found(index, '', ['src/app.ts', 'gone.ts'])).toEqual(['src/app.ts', 'src/', 'test/', 'README.md']);
  });

  it('lists what lies in a folder that is written out, then what matches otherwise', () => {
    expect(found(indexOf(FILES), 'src/').slice(0, 2)).toEqual(['src/ui/', 'src/app.ts']);
    expect(found(indexOf(FILES), 'src/')).toContain('src/ui/view.ts');
  });

  it('puts the nearest first, and a file that was chosen lately before its equals', () => {
    const index = indexOf(FILES);
    expect(found(index, 'view')[0]).toBe('src/ui/view.ts');
    expect(found(index, 'view', ['src/ui/viewer.ts'])[0]).toBe('src/ui/viewer.ts');
    expect(found(index, 'zzz', ['src/app.ts'])).toEqual([]);
  });

  it('says where it matches', () => {
    const [first] = indexOf(FILES).search({ query: 'app', recent: [], limit: 1 }).items;
    expect(first).toEqual({ path: 'src/app.ts', marks: [4, 5, 6] });
  });

  it('finds every file by its own path, and gives nothing that it was not given', () => {
    const name = fc.stringMatching(/^[a-z0-9.漢é_-]{1,8}$/u).filter((part) => !/^\.+$/.test(part));
    const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'));
    fc.assert(
      fc.property(fc.uniqueArray(path, { minLength: 1, maxLength: 60 }), fc.nat(), (paths, pick) => {
        const index = indexOf(paths);
        const sought = paths[pick % paths.length] ?? '';
        const items = index.search({ query: sought, recent: [], limit: 500 }).items.map((item) => item.path);
        expect(items).toContain(sought);
        expect(new Set(items).size).toBe(items.length);
        for (const item of items)
          expect(item.endsWith('/') ? paths.some((one) => one.startsWith(item)) : paths.includes(item)).toBe(
            true,
          );
      }),
    );
  });

  it('can be searched in steps, each of which gives what was found so far', () => {
    const index = indexOf(Array.from({ length: 25_000 }, (_, at) => `folder/file-${at}.ts`));
    const wanted = { query: 'file-24999', recent: [], limit: 5 };
    const steps = index.searching(wanted);
    const sofar: number[] = [];
    let step = steps.next();
    for (; step.done !== true; step = steps.next()) sofar.push(step.value().items.length);
    expect(sofar).toEqual([0, 0, 1]);
    expect(step.value).toEqual(index.search(wanted));
    expect(step.value.items[0]?.path).toBe('folder/file-24999.ts');
  });

  it('holds a bounded number and says when that is not all', () => {
    const index = new FileIndex();
    const many = Array.from({ length: MAX_ENTRIES }, (_, at) => `f${at}`);
    expect(index.add(many)).toBe('whole');
    expect(index.add(['one more'])).toBe('cut');
    expect(index.size).toBe(MAX_ENTRIES);
  });
});

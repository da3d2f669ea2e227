import { describe, expect, it } from 'vitest';
import { droppedPath, writtenPath } from '../../../src/ui/composer/dropped-path.ts';

describe('a path that a terminal pastes', () => {
  it.each([
    ['/tmp/a.png', '/tmp/a.png'],
    [' /tmp/a.png \n', '/tmp/a.png'],
    ['/tmp/my\\ shot\\(1\\).png ', '/tmp/my shot(1).png'],
    ["'/tmp/my shot.png'", '/tmp/my shot.png'],
    ['"/tmp/my shot.png"', '/tmp/my shot.png'],
    ['file:///tmp/my%20shot.png', '/tmp/my shot.png'],
    ['~/a.png', '~/a.png'],
    ['/tmp/a.png /tmp/b.png', null],
    ['see /tmp/a.png', null],
    ['a.png', null],
    ['/tmp/a\n/tmp/b', null],
    ["'/tmp/it's.png'", null],
    ['file://%', null],
    ['', null],
  ])('%j is %j', (text, path) => {
    expect(droppedPath(text)).toBe(path);
  });

  it('is read more kindly behind a command', () => {
    expect(writtenPath(' a b.png ')).toBe('a b.png');
    expect(writtenPath('"a b.png"')).toBe('a b.png');
    expect(writtenPath('a\\ b.png')).toBe('a b.png');
  });
});

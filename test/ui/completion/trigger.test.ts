import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { triggerOf } from '../../../src/ui/completion/trigger.ts';

/** The caret as a bar. */
function at(marked: string) {
  const caret = marked.indexOf('|');
  const text = marked.replace('|', '');
  const trigger = triggerOf({ text, caret });
  return trigger === null
    ? null
    : `${trigger.kind} ${trigger.query} in ${text.slice(trigger.start, trigger.end)}`;
}

describe('the word at the caret', () => {
  it.each([
    ['/|', 'command  in /'],
    ['/he|', 'command he in /he'],
    ['/h|elp', 'command h in /help'],
    ['/help| me', 'command help in /help'],
    ['/help |', null],
    ['|/help', null],
    [' /help|', null],
    ['say /help|', null],
    ['/usr/bin|', null],
    ['/usr|/bin', null],
    ['/help|\nmore', null],
    ['@|', 'file  in @'],
    ['see @src/a|', 'file src/a in @src/a'],
    ['see @sr|c/a.ts now', 'file sr in @src/a.ts'],
    ['(@a|)', 'file a in @a)'],
    ['me@example|', null],
    ['see @a b|', null],
    ['see @"a b|', 'file a b in @"a b'],
    ['see @"a b|c" d', 'file a b in @"a bc"'],
    ['see @"a b" |', null],
    ['one\n@two|\n', 'file two in @two'],
  ])('%j asks for %j', (marked, asked) => {
    expect(at(marked)).toBe(asked);
  });

  it('lies in the draft with the caret in it, whatever is written', () => {
    const drafts = fc.array(fc.constantFrom('/', '@', '"', ' ', '\n', 'a', '漢', '(', '-'), {
      maxLength: 30,
    });
    fc.assert(
      fc.property(drafts, fc.nat(40), (parts, place) => {
        const text = parts.join('');
        const caret = Math.min(place, text.length);
        const trigger = triggerOf({ text, caret });
        if (trigger === null) return;
        expect(trigger.start).toBeLessThan(caret);
        expect(trigger.end).toBeGreaterThanOrEqual(caret);
        expect(trigger.end).toBeLessThanOrEqual(text.length);
        expect(text.slice(trigger.start, caret)).toMatch(/^[/@]/);
      }),
    );
  });
});

import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { adoptKeys, BINDINGS, helpTable, keyHint, keyName, resolve } from '../../../src/ui/keys/bindings.ts';
import { charKey, namedKey, PLAIN } from '../../../src/ui/keys/key-event.ts';
import { overridden } from '../../../src/ui/keys/overrides.ts';

const CHAT = ['composer', 'transcript', 'chat'] as const;
const ctrl = (letter: string) => charKey(letter, { ...PLAIN, ctrl: true });
const TOGETHER = [['chat', 'composer'], ['list']];
const DEFAULTS = [
  { id: 'chat.interrupt', context: 'chat', keys: ['ctrl+c'] },
  { id: 'chat.help', context: 'chat', keys: ['f1'] },
  { id: 'composer.send', context: 'composer', keys: ['enter', 'ctrl+m'] },
  { id: 'list.open', context: 'list', keys: ['enter'] },
];

afterEach(() => {
  adoptKeys({});
});

describe('own keys', () => {
  it('replace the ones that a command has, in the help and the hints too', () => {
    expect(adoptKeys({ 'chat.help': ['F10', 'Ctrl+G'] })).toEqual([]);
    expect(resolve(ctrl('g'), CHAT)).toBe('chat.help');
    expect(resolve(namedKey('f10', PLAIN), CHAT)).toBe('chat.help');
    expect(resolve(namedKey('f1', PLAIN), CHAT)).toBeNull();
    expect(keyName('chat.help')).toBe('F10');
    expect(helpTable().find(({ title }) => title === 'Show the keys')?.keys).toBe('F10, Ctrl+G');
  });

  it('take a key from the command that has it by default, where both listen', () => {
    const { bindings, problems } = overridden(DEFAULTS, TOGETHER, { 'chat.help': 'enter' });
    expect(problems).toEqual([]);
    expect(bindings.map(({ keys }) => keys)).toEqual([['ctrl+c'], ['enter'], ['ctrl+m'], ['enter']]);
  });

  it('leave a command without a key when the list is empty', () => {
    expect(adoptKeys({ 'chat.help': [] })).toEqual([]);
    expect(resolve(namedKey('f1', PLAIN), CHAT)).toBeNull();
    expect(keyHint('chat.help')).toBe('');
    expect(helpTable().find(({ title }) => title === 'Show the keys')?.keys).toBe('—');
  });

  it.each([
    [{ 'chat.hepl': 'f1' }, 'there is no command chat.hepl'],
    [{ 'chat.help': 'crtl+x' }, 'chat.help: "crtl+x" is not a key'],
    [{ 'chat.help': 'shift+a' }, 'chat.help: "shift+a" is not a key'],
    [{ 'chat.help': 'f10', 'composer.send': 'f10' }, 'f10 is wanted by chat.help and by composer.send'],
    [{ 'composer.send': 'ctrl+c' }, 'ctrl+c is wanted by chat.interrupt and by composer.send'],
  ])('%j is told: %s', (overrides, problem) => {
    expect(overridden(DEFAULTS, TOGETHER, overrides).problems).toEqual([problem]);
  });

  it('never take Ctrl+C from the way out', () => {
    const { bindings } = overridden(DEFAULTS, TOGETHER, { 'chat.interrupt': ['f9'], 'chat.help': 'ctrl+c' });
    expect(bindings.slice(0, 2).map(({ keys }) => keys)).toEqual([['ctrl+c', 'f9'], []]);
  });

  it('never give one key to two commands that listen together, whatever the file says', () => {
    const ids = fc.constantFrom(...DEFAULTS.map(({ id }) => id));
    const keys = fc.array(
      fc.constantFrom('enter', 'f1', 'ctrl+c', 'a', 'Ctrl+M', 'alt+shift+k', 'nonsense+'),
    );
    fc.assert(
      fc.property(fc.dictionary(ids, keys), (overrides) => {
        const { bindings } = overridden(DEFAULTS, TOGETHER, overrides);
        for (const group of TOGETHER) {
          const claimed = bindings
            .filter(({ context }) => group.includes(context))
            .flatMap((binding) => [...new Set(binding.keys)]);
          expect(new Set(claimed).size).toBe(claimed.length);
        }
        expect(bindings[0]?.keys[0]).toBe('ctrl+c');
      }),
    );
  });

  it('hold every default of the program', () => {
    expect(adoptKeys(Object.fromEntries(BINDINGS.map(({ id, keys }) => [id, keys])))).toEqual([]);
  });
});

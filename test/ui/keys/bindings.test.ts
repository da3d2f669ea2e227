import { describe, expect, it } from 'vitest';
import { BINDINGS, conflicts, helpTable, keyHint, keyLabel, resolve } from '../../../src/ui/keys/bindings.ts';
import { KeyDecoder } from '../../../src/ui/keys/decoder.ts';
import { keySpelling } from '../../../src/ui/keys/key-event.ts';

const CHAT = ['composer', 'transcript', 'chat'] as const;

function commandsOf(input: string, contexts: Parameters<typeof resolve>[1]) {
  const decoder = new KeyDecoder();
  const events = [...decoder.feed(Buffer.from(input)), ...decoder.flush()];
  return events.map((event) => resolve(event, contexts));
}

describe('bindings', () => {
  it('have no conflicts and no id twice', () => {
    expect(conflicts()).toEqual([]);
    expect(new Set(BINDINGS.map(({ id }) => id)).size).toBe(BINDINGS.length);
  });

  it.each([
    ['\r', 'composer.send'],
    ['\n', 'composer.newline'],
    ['\u001b\r', 'composer.newline'],
    ['\u001b[13;2u', 'composer.newline'],
    ['\u001b[27;2;13~', 'composer.newline'],
    ['\u001b', 'chat.stop'],
    ['\u001b[27u', 'chat.stop'],
    ['\u0003', 'chat.interrupt'],
    ['\u001b[99;5u', 'chat.interrupt'],
    ['\u0004', 'chat.quit'],
    ['\u001bOP', 'chat.help'],
    ['\u001f', 'composer.undo'],
    ['\u001b[45;6u', 'composer.undo'],
    ['\u001b_', 'composer.redo'],
    ['\u007f', 'composer.delete-back'],
    ['\u001b[3~', 'composer.delete-forward'],
    ['\u001b[1;3A', 'transcript.turn-up'],
    ['\u001b[1;5F', 'transcript.bottom'],
    ['\u001b[5~', 'transcript.page-up'],
    ['a', null],
    ['\u001b[I', null],
  ])('%j on the chat screen is %s', (input, command) => {
    expect(commandsOf(input, CHAT)).toEqual([command]);
  });

  it('asks the innermost context first', () => {
    expect(commandsOf('\r\t', ['choice', ...CHAT])).toEqual(['choice.accept', 'choice.down']);
    expect(commandsOf('nj?', ['list'])).toEqual(['list.new', 'list.down', 'list.help']);
  });

  it('shows every command in the key table', () => {
    expect(helpTable().length).toBe(BINDINGS.length);
    expect(helpTable()[0]).toEqual({ context: 'chat', keys: 'Esc', title: 'Stop the running turn' });
    expect(keyHint('composer.newline')).toBe('Alt+Enter newline');
    expect(['pageup', 'ctrl+shift+-', 'f1', 'n', '?', 'alt+up'].map(keyLabel)).toEqual([
      'PgUp',
      'Ctrl+Shift+-',
      'F1',
      'n',
      '?',
      'Alt+↑',
    ]);
  });

  it('spells keys in one way', () => {
    const decoder = new KeyDecoder();
    const events = decoder.feed(Buffer.from('A \u001bF\u001b[97;6u\u001b[1;6A\u0000\u001b[32;3u'));
    expect(events.map((event) => (event.kind === 'key' ? keySpelling(event) : '?'))).toEqual([
      'A',
      'space',
      'alt+shift+f',
      'ctrl+shift+a',
      'ctrl+shift+up',
      'ctrl+space',
      'alt+space',
    ]);
  });
});

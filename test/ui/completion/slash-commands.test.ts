import { describe, expect, it } from 'vitest';
import {
  commandNamed,
  matchingCommands,
  readDraft,
  SLASH_COMMANDS,
} from '../../../src/ui/completion/slash-commands.ts';

function meaning(text: string): string {
  const reading = readDraft(text);
  switch (reading.kind) {
    case 'text':
      return 'text';
    case 'unknown':
      return `unknown ${reading.name}`;
    case 'too-much':
      return `too much for ${reading.command.name}`;
    case 'command':
      return `run ${reading.command.name}`;
  }
}

describe('commands in words', () => {
  it.each([
    ['/help', 'run help'],
    ['/help ', 'run help'],
    ['/HELP', 'run help'],
    ['/?', 'run help'],
    ['/exit', 'run quit'],
    ['/helpme', 'unknown helpme'],
    ['/foo bar', 'unknown foo'],
    ['/quit now', 'too much for quit'],
    [' /quit', 'text'],
    ['/usr/bin/env', 'text'],
    ['/', 'text'],
    ['/quit\n', 'text'],
    ['/quit\n!rm', 'text'],
    ['one\n/quit', 'text'],
  ])('%j means %j', (text, means) => {
    expect(meaning(text)).toBe(means);
  });

  it('have names and aliases that are all different', () => {
    const names = SLASH_COMMANDS.flatMap(({ aliases, name }) => [name, ...aliases]);
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(commandNamed(name)).not.toBeNull();
  });

  it('are found by a part of their name or alias, the exact one first', () => {
    expect(matchingCommands('').length).toBe(SLASH_COMMANDS.length);
    expect(matchingCommands('sess')[0]?.command.name).toBe('sessions');
    expect(matchingCommands('q')[0]?.command.name).toBe('quit');
    expect(matchingCommands('exit')[0]?.command.name).toBe('quit');
    expect(matchingCommands('zzz')).toEqual([]);
  });
});

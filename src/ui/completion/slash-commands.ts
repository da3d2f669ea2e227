/**
 * What can be asked for in words: a draft of one line that begins with `/`. The list is data; a command that
 * does not exist does not compile.
 */
import fuzzysort from 'fuzzysort';
import type { CommandId } from '../keys/bindings.ts';

/** What no key does. */
export type SlashAction = 'leave' | 'stop' | 'attach';

export interface SlashCommand {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly title: string;
  /** What may stand behind the name; empty when nothing may. */
  readonly argument: string;
  readonly does:
    | { readonly kind: 'command'; readonly id: CommandId }
    | { readonly kind: 'action'; readonly action: SlashAction };
}

function command(id: CommandId, name: string, title: string, aliases: readonly string[] = []): SlashCommand {
  return { name, aliases, title, argument: '', does: { kind: 'command', id } };
}

/** In the order in which they are offered. */
export const SLASH_COMMANDS: readonly SlashCommand[] = [
  command('chat.help', 'help', 'Show the keys', ['keys', '?']),
  command('chat.new-session', 'new', 'Start a new session', ['clear', 'reset']),
  command('chat.sessions', 'sessions', 'Open the sessions', ['resume', 'list']),
  command('chat.model', 'model', 'Choose the model', ['models']),
  command('chat.thinking', 'thinking', 'Choose how much it thinks', ['effort']),
  command('chat.permission', 'permissions', 'Choose what it asks about', ['mode', 'approvals']),
  command('chat.choices', 'status', 'Show what this session works with'),
  command('chat.activity', 'activity', 'Go to what the agent does', ['tasks', 'agents']),
  command('chat.providers', 'providers', 'Choose who answers', ['provider']),
  command('chat.settings', 'settings', 'Open the settings', ['config', 'preferences', 'theme']),
  command('chat.login', 'login', 'Sign in and out, keys of providers', ['logout', 'key']),
  command('transcript.search', 'search', 'Search the talk', ['find']),
  command('transcript.browse', 'browse', 'Go through the talk block by block', ['read']),
  command('transcript.copy-answer', 'copy', 'Copy the last answer'),
  {
    name: 'stop',
    aliases: ['cancel'],
    title: 'Stop the running turn',
    argument: '',
    does: { kind: 'action', action: 'stop' },
  },
  {
    name: 'attach',
    aliases: ['file', 'image'],
    title: 'Send a file along',
    argument: 'PATH',
    does: { kind: 'action', action: 'attach' },
  },
  command('composer.editor', 'editor', 'Write in your editor', ['edit']),
  command('composer.history-search', 'history', 'Find a message that was sent before'),
  command('chat.redraw', 'redraw', 'Draw the screen again', ['refresh']),
  {
    name: 'quit',
    aliases: ['exit', 'q'],
    title: 'Leave',
    argument: '',
    does: { kind: 'action', action: 'leave' },
  },
];

/** What a draft means. */
export type Reading =
  | { readonly kind: 'text' }
  | { readonly kind: 'command'; readonly command: SlashCommand; readonly argument: string }
  /** Looks like a command and is none: nobody should send it by mistake. */
  | { readonly kind: 'unknown'; readonly name: string }
  /** A command that takes nothing, with something behind it. */
  | { readonly kind: 'too-much'; readonly command: SlashCommand };

const COMMAND_LINE = /^\/([A-Za-z?][\w-]*)(?:[ \t]+(.*))?$/;

/** A path and a draft of several lines are text. */
export function readDraft(text: string): Reading {
  const parts = COMMAND_LINE.exec(text.trimEnd());
  if (parts === null || text.includes('\n')) return { kind: 'text' };
  const [, name = '', argument = ''] = parts;
  const found = commandNamed(name);
  if (found === null) return { kind: 'unknown', name };
  if (argument !== '' && found.argument === '') return { kind: 'too-much', command: found };
  return { kind: 'command', command: found, argument };
}

/** The command of exactly this name or alias, or null. */
export function commandNamed(name: string): SlashCommand | null {
  const lower = name.toLowerCase();
  return SLASH_COMMANDS.find((entry) => entry.name === lower || entry.aliases.includes(lower)) ?? null;
}

export interface FoundCommand {
  readonly command: SlashCommand;
  /** Offsets of the matched units of the name. */
  readonly marks: readonly number[];
}

/** Commands whose name or alias matches, the best first; all of them for an empty query. */
export function matchingCommands(query: string): readonly FoundCommand[] {
  if (query === '') return SLASH_COMMANDS.map((entry) => ({ command: entry, marks: [] }));
  const keys = ['name', (entry: SlashCommand) => entry.aliases.join(' ')];
  const found = fuzzysort
    .go(query, SLASH_COMMANDS, { keys, limit: 0, threshold: 0 })
    .map((result) => ({ command: result.obj, marks: [...(result[0]?.indexes ?? [])] }));
  const exact = commandNamed(query);
  if (exact === null) return found;
  const first = found.find((entry) => entry.command === exact) ?? { command: exact, marks: [] };
  return [first, ...found.filter((entry) => entry.command !== exact)];
}

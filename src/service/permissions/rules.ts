/**
 * Rules about what tools may do, as they stand in the settings under a workspace (PROTOCOL.md, "Session profile"):
 * `bash: npm test` (exact), `bash: npm run *` (and anything behind a space), `mcp: server/tool`, `mcp: server/*`,
 * `write: /a/file`, `write: /a/folder/*`, `read: …`.
 * Invariants: pure; a rule that is not understood does nothing; a command is allowed only when every part of it
 * is; what "always" writes down allows nothing but the same thing again.
 */
import { posix } from 'node:path';
import type { PermissionAsk } from '../../agent/runtime.ts';
import { crudeParts, splitCommand } from './shell.ts';

type Kind = 'bash' | 'mcp' | 'read' | 'write';

const RULE = /^(bash|mcp|read|write):\s*(\S.*)$/s;

interface Rule {
  readonly kind: Kind;
  readonly pattern: string;
}

/** What a question is about, in the words of rules; null when no rule can say it. */
function matterOf({ kind, subject, toolName }: PermissionAsk): Rule | null {
  switch (kind) {
    case 'bash':
      return toolName === 'bash' ? { kind, pattern: subject } : null;
    case 'mcp':
      return { kind, pattern: subject };
    case 'read-outside':
      return { kind: 'read', pattern: subject };
    case 'write':
    case 'write-outside':
      return { kind: 'write', pattern: subject };
  }
}

/** A change to what `.git` holds is asked as a command. A rule can forbid it as the change it is, but not allow it. */
function repositoryFileOf({ subject }: PermissionAsk, workspace: string): Rule {
  return { kind: 'write', pattern: posix.resolve(workspace, subject.replace(/^write /, '')) };
}

export function isAllowed(ask: PermissionAsk, rules: readonly string[]): boolean {
  const matter = matterOf(ask);
  if (matter === null) return false;
  const patterns = patternsOf(rules, matter.kind);
  if (matter.kind !== 'bash') return patterns.some((pattern) => matches(pattern, matter));
  const parts = splitCommand(matter.pattern);
  return parts?.every((part) => isAllowedPart(part, patterns)) ?? false;
}

/** @param workspace what the paths of `.git` are told from */
export function isDenied(ask: PermissionAsk, rules: readonly string[], workspace: string): boolean {
  const matter = matterOf(ask) ?? repositoryFileOf(ask, workspace);
  const patterns = patternsOf(rules, matter.kind);
  if (matter.kind !== 'bash') return patterns.some((pattern) => matches(pattern, matter));
  const parts = crudeParts(matter.pattern);
  return patterns.some((pattern) =>
    parts.some((part) => matchesCommand(pattern, part) || `${part} *` === pattern),
  );
}

/** The rules that would allow exactly this and are not there yet; empty when no rule can say it. */
export function rulesFor(ask: PermissionAsk, present: readonly string[]): string[] {
  const matter = matterOf(ask);
  if (matter === null) return [];
  const { kind, pattern } = matter;
  if (kind !== 'bash') return pattern.endsWith('*') ? [] : [`${kind}: ${pattern}`];
  const parts = splitCommand(pattern);
  if (parts === null || parts.some((part) => part === '*' || part.endsWith(' *'))) return [];
  const patterns = patternsOf(present, 'bash');
  const missing = parts.filter((part) => !isAllowedPart(part, patterns));
  const rules = [...new Set(missing)].map((part) => `bash: ${part}`);
  // A rule loses blanks at its end, which may have been escaped.
  return isAllowed(ask, [...present, ...rules]) ? rules : [];
}

function patternsOf(rules: readonly string[], kind: Kind): string[] {
  const found: string[] = [];
  for (const rule of rules) {
    const [, name, pattern] = RULE.exec(rule.trim()) ?? [];
    if (name === kind && pattern !== undefined) found.push(pattern);
  }
  return found;
}

function matches(pattern: string, { kind, pattern: subject }: Rule): boolean {
  if (kind === 'mcp') return pattern === subject || startsWith(subject, pattern);
  if (!posix.isAbsolute(pattern)) return false;
  return posix.normalize(pattern) === subject || startsWith(subject, posix.normalize(pattern));
}

/** `folder/*` is everything below, however deep. */
function startsWith(subject: string, pattern: string): boolean {
  return pattern.endsWith('/*') && subject.startsWith(pattern.slice(0, -1));
}

function isAllowedPart(part: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => matchesCommand(pattern, part));
}

/** @param part one simple command with equal blanks */
function matchesCommand(pattern: string, part: string): boolean {
  if (pattern === '*') return true;
  const isPrefix = pattern.endsWith(' *');
  const [wanted, ...more] = splitCommand(isPrefix ? pattern.slice(0, -2) : pattern) ?? [];
  if (wanted === undefined || more.length > 0) return false;
  return isPrefix ? part.startsWith(`${wanted} `) : part === wanted;
}

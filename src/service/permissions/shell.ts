/**
 * Shell commands in their parts, for rules to be held against.
 * Invariants: conservative. What is not understood for certain (substitutions, subshells, redirections to files,
 * keywords, comments, unfinished quotes, unusual characters) gives null, and null matches no rule that allows.
 * Quotes stay in a part as they were written; only the blanks between words are made equal.
 */

/** Control characters, and everything that some shell might take for a blank. */
const UNUSUAL =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u00a0\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff]/;
/** At the beginning of a part these are no commands. */
const KEYWORDS: ReadonlySet<string> = new Set(
  '! [[ ]] { } case coproc do done elif else esac fi for function if in select then time until while'.split(
    ' ',
  ),
);
const REDIRECTION = /(?:&>>|&>|>>|>&|>\||<&|<>|<<<|<<|<|>)/y;
const SEPARATOR = /(?:&&|\|\||\|&|;|\||&|\n)/y;
/** What comes behind these may be missing. */
const ENDS: ReadonlySet<string> = new Set([';', '&', '\n']);

/** The simple commands of a command, or null when it is not understood. */
export function splitCommand(command: string): readonly string[] | null {
  if (UNUSUAL.test(command) || !command.isWellFormed()) return null;
  return new Splitter(command).split();
}

class Splitter {
  readonly #text: string;
  readonly #parts: string[] = [];
  #words: string[] = [];
  /** The word being read; null between words. */
  #word: string | null = null;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  split(): readonly string[] | null {
    let separator = '\n';
    while (this.#at < this.#text.length) {
      const found = this.#match(SEPARATOR);
      if (found !== null && this.#match(REDIRECTION) === null) {
        if (!this.#endPart(found === '\n' && ENDS.has(separator))) return null;
        separator = found;
        this.#at += found.length;
      } else if (!this.#step()) return null;
    }
    if (!this.#endPart(ENDS.has(separator)) || this.#parts.length === 0) return null;
    return this.#parts;
  }

  /** Reads one character, quotation or redirection. False when it is not understood. */
  #step(): boolean {
    const char = this.#text[this.#at] ?? '';
    if (char === ' ' || char === '\t') {
      this.#endWord();
      this.#at += 1;
      return true;
    }
    if (this.#match(REDIRECTION) !== null) return this.#redirection();
    if (char === "'") return this.#single();
    if (char === '"') return this.#double();
    if ('`()'.includes(char) || (char === '#' && this.#word === null)) return false;
    if (char === '$' && '({["\''.includes(this.#text[this.#at + 1] ?? ' ')) return false;
    if (char !== '\\') return this.#take(1);
    const next = this.#text[this.#at + 1];
    return next !== undefined && next !== '\n' && this.#take(2);
  }

  #single(): boolean {
    const end = this.#text.indexOf("'", this.#at + 1);
    return end !== -1 && this.#take(end + 1 - this.#at);
  }

  #double(): boolean {
    for (let at = this.#at + 1; at < this.#text.length; at += 1) {
      const char = this.#text[at] ?? '';
      if (char === '"') return this.#take(at + 1 - this.#at);
      if (char === '`' || (char === '$' && '({['.includes(this.#text[at + 1] ?? ' '))) return false;
      if (char === '\\') at += 1;
    }
    return false;
  }

  /** Between descriptors, and from and to nowhere; files are no part of a rule. */
  #redirection(): boolean {
    const operator = this.#match(REDIRECTION) ?? '';
    if (this.#word !== null && /^\d+$/.test(this.#word)) this.#word = null;
    this.#endWord();
    const target = /[ \t]*([^\s;&|<>()'"\\$`]*)(?=[\s;&|]|$)/y;
    target.lastIndex = this.#at + operator.length;
    const name = target.exec(this.#text)?.[1];
    const isHarmless =
      operator === '>&' || operator === '<&' ? /^(?:\d|-)$/.test(name ?? '') : name === '/dev/null';
    if (!isHarmless || !['>', '>>', '<', '>&', '<&', '&>', '&>>'].includes(operator)) return false;
    this.#at = target.lastIndex;
    return true;
  }

  #take(length: number): boolean {
    this.#word = (this.#word ?? '') + this.#text.slice(this.#at, this.#at + length);
    this.#at += length;
    return true;
  }

  #match(pattern: RegExp): string | null {
    pattern.lastIndex = this.#at;
    return pattern.exec(this.#text)?.[0] ?? null;
  }

  #endWord(): void {
    if (this.#word !== null) this.#words.push(this.#word);
    this.#word = null;
  }

  /** False when something is missing, or is no simple command. */
  #endPart(mayBeEmpty: boolean): boolean {
    this.#endWord();
    const [first] = this.#words;
    if (first === undefined) return mayBeEmpty;
    if (KEYWORDS.has(first)) return false;
    this.#parts.push(this.#words.join(' '));
    this.#words = [];
    return true;
  }
}

/** Words that may stand before the command that is meant. */
const BEFORE =
  /^(?:[A-Za-z_]\w*=\S*|!|\{|then|do|else|elif|if|while|until|time|sudo|doas|env|exec|command|builtin|nohup|nice|xargs)\s+/;

/**
 * Everything in a command that looks like the beginning of a command, for rules that forbid: quotes are not
 * respected, so that nothing hides in them. Too much is better here than too little.
 */
export function crudeParts(command: string): readonly string[] {
  const parts = new Set(splitCommand(command) ?? []);
  for (const piece of command.split(/[;&|\n(){}`<>"']|\$\(/)) {
    let part = piece.replaceAll(/\s+/g, ' ').trim();
    while (part !== '') {
      parts.add(part);
      const rest = part.replace(BEFORE, '');
      if (rest === part) break;
      part = rest;
    }
  }
  return [...parts];
}

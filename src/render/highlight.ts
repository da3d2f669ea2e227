/**
 * Syntax colours, one grammar at a time. Nothing is loaded until a caller asks: `highlightLines` answers at
 * once from loaded grammars and notes which ones it missed; the caller loads those and draws again when
 * `highlightRevision` has moved. The state here is a cache bounded by the list of grammars.
 */
import type { LanguageFn } from 'highlight.js';
import type { Style } from './row.ts';

/** A run of code in one style; it may contain LF. */
export interface CodeRun {
  readonly text: string;
  readonly style: Style;
}

interface Node {
  readonly type: string;
  readonly value?: unknown;
  readonly properties?: { readonly className?: unknown };
  readonly children?: readonly Node[];
}

interface Highlighter {
  highlight(language: string, code: string): Node;
  register(name: string, grammar: LanguageFn): void;
}

type Loader = () => Promise<{ readonly default: LanguageFn }>;

/** Literal imports, so that a bundler gives each grammar its own chunk. */
const LOADERS: Readonly<Record<string, Loader>> = {
  bash: () => import('highlight.js/lib/languages/bash'),
  c: () => import('highlight.js/lib/languages/c'),
  cpp: () => import('highlight.js/lib/languages/cpp'),
  csharp: () => import('highlight.js/lib/languages/csharp'),
  css: () => import('highlight.js/lib/languages/css'),
  diff: () => import('highlight.js/lib/languages/diff'),
  dockerfile: () => import('highlight.js/lib/languages/dockerfile'),
  go: () => import('highlight.js/lib/languages/go'),
  ini: () => import('highlight.js/lib/languages/ini'),
  java: () => import('highlight.js/lib/languages/java'),
  javascript: () => import('highlight.js/lib/languages/javascript'),
  json: () => import('highlight.js/lib/languages/json'),
  kotlin: () => import('highlight.js/lib/languages/kotlin'),
  markdown: () => import('highlight.js/lib/languages/markdown'),
  php: () => import('highlight.js/lib/languages/php'),
  python: () => import('highlight.js/lib/languages/python'),
  ruby: () => import('highlight.js/lib/languages/ruby'),
  rust: () => import('highlight.js/lib/languages/rust'),
  sql: () => import('highlight.js/lib/languages/sql'),
  swift: () => import('highlight.js/lib/languages/swift'),
  typescript: () => import('highlight.js/lib/languages/typescript'),
  xml: () => import('highlight.js/lib/languages/xml'),
  yaml: () => import('highlight.js/lib/languages/yaml'),
};

const ALIASES: Readonly<Record<string, string>> = {
  'c++': 'cpp',
  'c#': 'csharp',
  cc: 'cpp',
  cjs: 'javascript',
  console: 'bash',
  cs: 'csharp',
  docker: 'dockerfile',
  golang: 'go',
  h: 'c',
  hpp: 'cpp',
  htm: 'xml',
  html: 'xml',
  js: 'javascript',
  jsonc: 'json',
  jsx: 'javascript',
  kt: 'kotlin',
  md: 'markdown',
  mjs: 'javascript',
  mts: 'typescript',
  patch: 'diff',
  py: 'python',
  rb: 'ruby',
  rs: 'rust',
  sh: 'bash',
  shell: 'bash',
  svg: 'xml',
  toml: 'ini',
  ts: 'typescript',
  tsx: 'typescript',
  vue: 'xml',
  yml: 'yaml',
  zsh: 'bash',
};

/** Above this many characters colours cost more than they help. */
const MAX_CODE = 60_000;

class Grammars {
  readonly #loaded = new Set<string>();
  readonly #missed = new Set<string>();
  readonly #loading = new Map<string, Promise<boolean>>();
  #core: Highlighter | null = null;
  #revision = 0;

  get revision(): number {
    return this.#revision;
  }

  get missed(): string[] {
    return [...this.#missed];
  }

  /** The highlighter when it knows the language; a known but missing one is noted. */
  find(language: string): Highlighter | null {
    if (this.#loaded.has(language)) return this.#core;
    this.#missed.add(language);
    return null;
  }

  load(language: string, loader: Loader): Promise<boolean> {
    const running = this.#loading.get(language);
    if (running !== undefined) return running;
    const promise = this.#load(language, loader);
    this.#loading.set(language, promise);
    return promise;
  }

  async #load(language: string, loader: Loader): Promise<boolean> {
    try {
      const [core, grammar] = await Promise.all([this.#loadCore(), loader()]);
      core.register(language, grammar.default);
      this.#loaded.add(language);
      this.#revision += 1;
      return true;
    } catch {
      return false;
    } finally {
      this.#missed.delete(language);
    }
  }

  async #loadCore(): Promise<Highlighter> {
    const { createLowlight } = await import('./lowlight-core.ts');
    this.#core ??= createLowlight();
    return this.#core;
  }
}

const grammars = new Grammars();

/** The name under which a language is loaded (`ts` → `typescript`), or null when there is no grammar for it. */
export function languageName(label: string): string | null {
  const lower = label.toLowerCase();
  const name = Object.hasOwn(ALIASES, lower) ? ALIASES[lower] : lower;
  return name !== undefined && Object.hasOwn(LOADERS, name) ? name : null;
}

/** Grows each time a grammar becomes ready: rows of code drawn under another number are out of date. */
export function highlightRevision(): number {
  return grammars.revision;
}

/** Languages that were asked for and are not loaded yet. */
export function wantedLanguages(): string[] {
  return grammars.missed;
}

/** Loads a grammar by name or alias, once; false when there is none. Never rejects. */
export function loadLanguage(label: string): Promise<boolean> {
  const name = languageName(label);
  const loader = name === null ? undefined : LOADERS[name];
  return name === null || loader === undefined ? Promise.resolve(false) : grammars.load(name, loader);
}

/** Loads every wanted grammar; true when at least one became ready and code should be drawn again. */
export async function loadWantedLanguages(): Promise<boolean> {
  const results = await Promise.all(wantedLanguages().map(loadLanguage));
  return results.includes(true);
}

/** The code in styled runs; one plain run for an unknown, not yet loaded or oversized piece. */
export function highlightRuns(code: string, language: string | null): CodeRun[] {
  const plain: CodeRun[] = [{ text: code, style: 'code' }];
  const name = language === null ? null : languageName(language);
  if (name === null || code.length > MAX_CODE) return plain;
  const highlighter = grammars.find(name);
  if (highlighter === null) return plain;
  try {
    return [...runs(highlighter.highlight(name, code), 'code')];
  } catch {
    return plain;
  }
}

function* runs(node: Node, style: Style): Generator<CodeRun> {
  if (node.type === 'text' && typeof node.value === 'string') {
    yield { text: node.value, style };
    return;
  }
  const inner = styleOf(node.properties?.className) ?? style;
  for (const child of node.children ?? []) yield* runs(child, inner);
}

const STYLES: Readonly<Record<string, Style>> = {
  'hljs-addition': 'added',
  'hljs-attr': 'syntax-type',
  'hljs-attribute': 'syntax-type',
  'hljs-built_in': 'syntax-type',
  'hljs-comment': 'syntax-comment',
  'hljs-deletion': 'removed',
  'hljs-doctag': 'syntax-comment',
  'hljs-keyword': 'syntax-keyword',
  'hljs-literal': 'syntax-number',
  'hljs-meta': 'syntax-comment',
  'hljs-name': 'syntax-keyword',
  'hljs-number': 'syntax-number',
  'hljs-quote': 'syntax-comment',
  'hljs-regexp': 'syntax-string',
  'hljs-section': 'syntax-title',
  'hljs-selector-class': 'syntax-title',
  'hljs-selector-id': 'syntax-title',
  'hljs-selector-tag': 'syntax-keyword',
  'hljs-string': 'syntax-string',
  'hljs-subst': 'code',
  'hljs-symbol': 'syntax-number',
  'hljs-tag': 'code',
  'hljs-title': 'syntax-title',
  'hljs-type': 'syntax-type',
};

function styleOf(classes: unknown): Style | undefined {
  if (!Array.isArray(classes)) return undefined;
  const name: unknown = classes[0];
  return typeof name === 'string' ? STYLES[name] : undefined;
}

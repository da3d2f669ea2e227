/**
 * What the field cases share: a home, a model or a service that plays its part, and the program on a terminal.
 * Invariants: everything ends with the test that began it; whatever a program wrote in it was on the program's own list.
 */
import { realpathSync } from 'node:fs';
import { afterEach, expect } from 'vitest';
import { AppHome, answeredBy, type HomeOptions, type StartOptions } from './app.ts';
import {
  type ModelScript,
  type ModelServer,
  type ModelServerOptions,
  startModelServer,
} from './model-server.ts';
import { type Extra, foreignSequences } from './own-bytes.ts';
import type { PtyProgram } from './pty.ts';
import { type StagedOptions, StagedService } from './staged-service.ts';

/** For what may take long on a busy machine. */
export const PATIENCE = { timeoutMs: 30_000 };
/** Of a test on a terminal, ms. */
export const FIELD_TIMEOUT = { timeout: 90_000 };

export interface AnsweredOptions extends Omit<ModelServerOptions, 'script'> {
  readonly home?: Omit<HomeOptions, 'settings'> & { readonly settings?: Readonly<Record<string, unknown>> };
}

export class FieldStage {
  readonly #closers: (() => Promise<void> | void)[] = [];

  constructor() {
    afterEach(async () => {
      for (const close of this.#closers.splice(0).toReversed()) await close();
    });
  }

  /** Runs when the test has ended, the last one first. */
  atEnd(close: () => Promise<void> | void): void {
    this.#closers.push(close);
  }

  home(options: HomeOptions = {}): AppHome {
    const user = new AppHome(options);
    this.atEnd(() => user.dispose());
    return user;
  }

  /** A home in which a scripted model answers, through the embedded service. */
  async answered(
    script: ModelScript,
    { home = {}, ...options }: AnsweredOptions = {},
  ): Promise<{ readonly user: AppHome; readonly server: ModelServer }> {
    const server = await startModelServer({ ...options, script });
    this.atEnd(() => server.close());
    const settings = { ...settingsOf(answeredBy(server.url)), ...home.settings };
    return { user: this.home({ ...home, settings }), server };
  }

  /** A home and a service that does what the test says; the program joins it with `joining`. */
  async staged(options: Omit<StagedOptions, 'identity'> = {}): Promise<{
    readonly user: AppHome;
    readonly service: StagedService;
    readonly joining: readonly string[];
  }> {
    const user = this.home();
    const identity = { workspace: realpathSync(user.workspace), stateRoot: realpathSync(user.state) };
    const service = await StagedService.start({ ...options, identity });
    this.atEnd(async () => {
      await service.stop();
      expect(service.errors).toEqual([]);
    });
    return { user, service, joining: ['--socket', service.socket] };
  }

  /** The program; what it wrote is checked at the end. */
  start(user: AppHome, options: StartOptions & { readonly extras?: readonly Extra[] } = {}): PtyProgram {
    const program = user.start(options);
    this.atEnd(() => expect(foreignSequences(program.bytes(), options.extras)).toEqual([]));
    return program;
  }

  /** The program, ready for keys. */
  async ready(
    user: AppHome,
    options: StartOptions & { readonly extras?: readonly Extra[] } = {},
  ): Promise<PtyProgram> {
    const program = this.start(user, options);
    await program.waitFor('ready', PATIENCE);
    return program;
  }
}

export async function say(program: PtyProgram, text: string): Promise<void> {
  await program.type(text);
  program.press('enter');
}

/** The rows of the draft, without prompt and indent. */
export function draftOf({ screen }: PtyProgram): string[] {
  const rows = screen.rows();
  const first = rows.findIndex((row) => row.startsWith(' › '));
  return rows.slice(first, -1).map((row) => row.slice(3));
}

export function count(text: string, words: string): number {
  return text.split(words).length - 1;
}

/** A row of the talk without its scroll bar. */
export function bare(row: string | undefined): string {
  return (row ?? '').replace(/[█│]$/, '').trimEnd();
}

/** Whether the status says that there is no link: that it comes back, or why it does not. */
export function isUnlinked(screen: PtyProgram['screen']): boolean {
  return screen.rows().at(-1)?.startsWith(' ↯') === true;
}

/** The mark of what lies below the reader. */
export const BELOW = /\d[\d,]* (?:new )?rows?\b.*↓/;

function settingsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

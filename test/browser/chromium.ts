/**
 * Debian's Chromium without a window, with a profile of its own.
 * Invariants: it looks up no name but `localhost`, so it reaches this machine only; nothing of it stays after `close`.
 */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium, type Page } from 'playwright-core';

const PROGRAM = '/usr/bin/chromium';
const FLAGS = ['--disable-gpu', '--disable-quic', '--no-first-run'];
const NO_OTHER_NAMES = 'MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1, EXCLUDE [::1]';

export interface ChromiumOptions {
  /** The one address that it takes `localhost` for; by itself it tries all that there are, ::1 first. */
  readonly localhost?: string;
}

/** Null when it is there; otherwise what to do. */
export function missingChromium(): string | null {
  if (existsSync(PROGRAM)) return null;
  return `There is no ${PROGRAM}, which this suite signs in with: install it (on Debian: apt-get install -y --no-install-recommends chromium) and run the suite again.`;
}

/** What a page has shown, and what it asked for on the way. */
export interface Visit {
  readonly page: Page;
  /** Every request of the page, in order: its method and its address without the query. */
  readonly requests: readonly string[];
}

export class Chromium {
  readonly #profile: string;
  readonly #context: BrowserContext;

  private constructor(profile: string, context: BrowserContext) {
    this.#profile = profile;
    this.#context = context;
  }

  static async open({ localhost }: ChromiumOptions = {}): Promise<Chromium> {
    const profile = mkdtempSync(join(tmpdir(), 'magi-term-browser-'));
    const rules = [...(localhost === undefined ? [] : [`MAP localhost ${localhost}`]), NO_OTHER_NAMES];
    const context = await chromium.launchPersistentContext(profile, {
      executablePath: PROGRAM,
      headless: true,
      // Its sandbox does not work for root.
      chromiumSandbox: process.geteuid?.() !== 0,
      args: [...FLAGS, `--host-resolver-rules=${rules.join(', ')}`],
      env: { PATH: process.env.PATH ?? '', HOME: profile, TMPDIR: profile },
    });
    return new Chromium(profile, context);
  }

  /** An empty page whose requests are written down. */
  async visit(): Promise<Visit> {
    const page = await this.#context.newPage();
    const requests: string[] = [];
    page.on('request', (request) => {
      const { origin, pathname } = new URL(request.url());
      requests.push(`${request.method()} ${origin}${pathname}`);
    });
    return { page, requests };
  }

  async close(): Promise<void> {
    await this.#context.close();
    rmSync(this.#profile, { recursive: true, force: true });
  }
}

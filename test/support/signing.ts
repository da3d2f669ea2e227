/** The sign-in screen as a person uses it. */
import { registerLink } from '../secrets/ledger.ts';
import type { AppHome, StartOptions } from './app.ts';
import type { PtyProgram } from './pty.ts';

const PATIENCE = { timeoutMs: 30_000 };
const ALT_L = '\u001bl';

/** The rows of the link, joined; empty while none is shown. */
export function shownLink({ screen }: PtyProgram): string {
  return linkRows(screen.rows()).join('');
}

/** The rows from the first one that begins with an address to the next blank one. */
export function linkRows(rows: readonly string[]): readonly string[] {
  const first = rows.findIndex((row) => /^http/.test(row));
  const last = rows.findIndex((row, index) => index > first && row.trim() === '');
  return first === -1 ? [] : rows.slice(first, last);
}

/** Waits until a whole link is shown that is not the one before. */
export async function linkOtherThan(program: PtyProgram, before: string): Promise<string> {
  const isWhole = (): boolean => shownLink(program).endsWith('originator=magi-term');
  await program.waitFor(
    (screen) => screen.text().includes(' left ') && isWhole() && shownLink(program) !== before,
    PATIENCE,
  );
  registerLink(shownLink(program));
  return shownLink(program);
}

/** Opens the screen and goes to the provider; what is shown of it comes back. */
export async function chosenProvider(program: PtyProgram, state: RegExp): Promise<void> {
  program.write(ALT_L);
  await program.waitFor(
    (screen) => new RegExp(`openai-codex\\s+${state.source}`).test(screen.text()),
    PATIENCE,
  );
  const rows = program.screen.rows();
  const at = rows.findIndex((row) => row.includes('openai-codex'));
  const from = rows.findIndex((row) => row.includes('›'));
  for (let step = from; step < at; step += 1) program.press('down');
  await program.waitFor(/› openai-codex/, PATIENCE);
}

/** A program with half a thought in its draft that has begun to sign in, and shows its link. */
export async function signingIn(user: AppHome, options: StartOptions = {}): Promise<PtyProgram> {
  const program = user.start(options);
  await program.waitFor('ready', PATIENCE);
  await program.type('half a thought');
  await chosenProvider(program, /not signed in/);
  program.press('enter');
  await linkOtherThan(program, '');
  return program;
}

/**
 * Where the suite lives while it runs: a private folder with a copy of the daemon that nobody can write, and an
 * unprivileged user, because the daemon refuses to serve root. Nothing outside the folder is changed.
 */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { PROGRAM_VARIABLE } from './terms.ts';

const CHECKOUT = resolve(import.meta.dirname, '../..');
/** What the tests need of it. */
const CHECKOUT_PARTS = [
  'node_modules',
  'package.json',
  'src',
  'test',
  'tsconfig.json',
  'vitest.conformance.config.ts',
  'vitest.interop.config.ts',
];
/**
 * User IDs that belong to nobody, one for each run: no account is needed, since every path is told to the processes.
 * https://systemd.io/UIDS-GIDS calls them unused.
 */
const NOBODYS_IDS = { first: 60_706, count: 478 };

interface User {
  readonly uid: number;
  readonly gid: number;
}

/** How to run vitest here. */
export interface Lodging {
  readonly folder: string;
  /** Where the sources can be read. */
  readonly cwd: string;
  readonly node: string;
  readonly env: NodeJS.ProcessEnv;
  /** Null: as we are. */
  readonly user: User | null;
  readonly sockets: readonly { readonly path: string; readonly wasThere: boolean }[];
}

/** @param program the daemon's executable */
export function takeLodging(program: string): Lodging {
  // Sticky and root's own: the daemon trusts executables below it.
  const folder = mkdtempSync(join(realpathSync('/tmp'), 'magi-term-interop-'));
  chmodSync(folder, 0o755);
  const user = process.geteuid?.() === 0 ? nobody() : null;
  const home = join(folder, 'home');
  mkdirSync(home, { mode: 0o700 });
  const executable = join(folder, 'magi-code');
  copyFileSync(program, executable);
  chmodSync(executable, 0o555);
  if (user !== null) chownSync(home, user.uid, user.gid);
  const readable = user === null || canRead(user);
  const sockets = ['magi', 'magi-term'].map((name) => `/tmp/${name}-${user?.uid ?? process.geteuid?.()}`);
  return {
    folder,
    cwd: readable ? CHECKOUT : copyCheckout(folder),
    node: readable ? process.execPath : copyNode(folder),
    env: { ...withoutSettings(process.env), HOME: home, TMPDIR: home, [PROGRAM_VARIABLE]: executable },
    user,
    sockets: sockets.map((path) => ({ path, wasThere: existsSync(path) })),
  };
}

/**
 * The folders that the services made for their sockets go too, unless they were there before: nobody's with all that is
 * in them, our own when nothing is, since each test has removed what it had.
 */
export function leaveLodging({ folder, sockets, user }: Lodging): void {
  rmSync(folder, { recursive: true, force: true });
  for (const { path, wasThere } of sockets) {
    if (wasThere || !existsSync(path)) continue;
    if (user !== null || readdirSync(path).length === 0) rmSync(path, { recursive: true });
  }
}

function nobody(): User {
  const id = NOBODYS_IDS.first + (process.pid % NOBODYS_IDS.count);
  return { uid: id, gid: id };
}

/** The settings of the person who runs this are not for the tests. */
function withoutSettings(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !/^(MC|XDG|MAGI_TERM)_/.test(name)));
}

/** A clone may lie where only its owner can read. */
function canRead(user: User): boolean {
  const paths = CHECKOUT_PARTS.map((part) => join(CHECKOUT, part));
  const look = `for (const path of process.argv.slice(1)) require('node:fs').accessSync(path, 4)`;
  return (
    spawnSync(process.execPath, ['-e', look, ...paths], { ...user, cwd: '/', stdio: 'ignore' }).status === 0
  );
}

function copyCheckout(folder: string): string {
  const copy = join(folder, 'checkout');
  mkdirSync(copy);
  const parts = CHECKOUT_PARTS.map((part) => join(CHECKOUT, part));
  mustRun('cp', ['-RP', ...parts, copy]);
  mustRun('chmod', ['-R', 'a+rX', copy]);
  return copy;
}

function copyNode(folder: string): string {
  const node = join(folder, 'node');
  copyFileSync(process.execPath, node);
  chmodSync(node, 0o555);
  return node;
}

function mustRun(command: string, args: readonly string[]): void {
  const { status } = spawnSync(command, args, { stdio: 'inherit' });
  if (status !== 0) throw new Error(`${command} failed`);
}

/** A real magi-code as the service: found or started through its own command (PROTOCOL.md, "Endpoint"). */
import { execFile } from 'node:child_process';
import { type Stats, statSync } from 'node:fs';
import { dirname, isAbsolute } from 'node:path';
import * as z from 'zod';
import { type Connection, openConnection } from '../client/connection.ts';
import { WireFailure } from '../client/failure.ts';
import { sanitiseLine } from '../render/sanitise.ts';

const discovery = z.object({
  socket: z.string(),
  state_root: z.string(),
  status: z.literal('ready'),
  version: z.string(),
  workspace: z.string(),
});
type Discovery = z.infer<typeof discovery>;

/** The program's own readiness wait is 15 s. */
const LAUNCH_LIMIT_MS = 20_000;
const MAX_OUTPUT_BYTES = 65_536;

/** Why an executable is not run at all, with the next step; or null. */
export function refuseExecutable(executable: string): string | null {
  if (!isAbsolute(executable)) return `--service needs an absolute path, not ${executable}.`;
  if (process.geteuid?.() === 0)
    return 'magi-code refuses to run as root: start magi-term as an ordinary user.';
  const stats = statSync(executable, { throwIfNoEntry: false });
  if (stats?.isFile() !== true) return `${executable} is not a file: give the path of a magi-code.`;
  return isTrusted(stats)
    ? null
    : `Other users may change ${executable}: it must belong to you or root, and nobody else may write it.`;
}

const GROUP_AND_OTHERS_WRITE = 0o022;

function isTrusted({ mode, uid }: Stats): boolean {
  return (uid === 0 || uid === process.geteuid?.()) && (mode & GROUP_AND_OTHERS_WRITE) === 0;
}

/** @throws WireFailure with what the program said of its failure, or what the connection found */
export async function dialExternal(executable: string, workspace: string): Promise<Connection> {
  const found = await discover(executable, workspace);
  return openConnection({
    directory: dirname(found.socket),
    socket: found.socket,
    identity: { workspace: found.workspace, stateRoot: found.state_root },
    version: found.version,
  });
}

function discover(executable: string, workspace: string): Promise<Discovery> {
  const args = ['daemon', 'start-or-connect', '--workspace', workspace, '--executable', executable];
  return new Promise((resolve, reject) => {
    execFile(
      executable,
      args,
      { timeout: LAUNCH_LIMIT_MS, maxBuffer: MAX_OUTPUT_BYTES },
      (error, stdout, stderr) => {
        const found = error === null ? parse(stdout) : null;
        if (found !== null) resolve(found);
        else reject(failureOf(executable, stderr || (error?.message ?? 'it printed no discovery')));
      },
    );
  });
}

function parse(stdout: string): Discovery | null {
  try {
    return discovery.safeParse(JSON.parse(stdout)).data ?? null;
  } catch {
    return null;
  }
}

/** What helps against the failures that the program names, the narrower words first. */
const NEXT_STEPS: readonly (readonly [said: string, next: string])[] = [
  [
    'untrusted daemon executable directory',
    'Every folder above it must belong to you or root, and nobody else may write there: copy it to such a place.',
  ],
  ['untrusted daemon executable', 'It must be a file that nobody can write: run chmod 555 on it.'],
  ['incompatible daemon version', 'Stop the running service with its own version once it is idle.'],
  ['daemon readiness timeout', 'See whether it runs: its own "daemon status" tells.'],
  ['unsafe daemon endpoint', 'Look at its folder below /tmp: it must be yours, with mode 700.'],
];

function failureOf(executable: string, said: string): WireFailure {
  const line = sanitiseLine(said.replace(/^Error: /, '').split('\n', 1)[0] ?? '');
  const sentence = `${executable} did not give a service: ${line}.`;
  const next = NEXT_STEPS.find(([words]) => line.includes(words))?.[1] ?? 'Check the program and its folder.';
  return new WireFailure({ code: 'endpoint_absent', sentence, next });
}

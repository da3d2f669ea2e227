import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Confine, SandboxPlace } from './confine.ts';
import { fixedInside, waysOut } from './paths.ts';

/** What every command needs, and nothing that starts programs or talks to services outside. */
const BASE = `(version 1)
(deny default)
(allow process-exec)
(allow process-fork)
(allow process-info* (target same-sandbox))
(allow signal (target same-sandbox))
(allow sysctl-read)
(allow pseudo-tty)
(allow ipc-posix-sem)
(allow file-ioctl)
(allow file-read*)
(allow mach-lookup (global-name "com.apple.system.opendirectoryd.libinfo"))
(allow file-write-data (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty"))
(allow file-write* (subpath (param "WORKSPACE")) (subpath (param "TEMP")))`;

/** Confines with the profiles of macOS; see sandbox-exec(1). Later rules win. There is no PID namespace. */
export function seatbelt(program: string, { env, workspace }: SandboxPlace): Confine {
  return (shell, script) => {
    const root = realpathSync(workspace);
    const temp = realpathSync(mkdtempSync(join(tmpdir(), 'confined-')));
    const fixed = fixedInside(root, env);
    const hidden = waysOut(env).filter((path) => path !== root);
    const rules = [
      BASE,
      ...fixed.map((_path, index) => `(deny file-write* (subpath (param "FIXED_${index}")))`),
      ...hidden.map((_path, index) => `(deny file-read* file-write* (subpath (param "HIDDEN_${index}")))`),
    ];
    const params = [
      `WORKSPACE=${root}`,
      `TEMP=${temp}`,
      ...fixed.map((path, index) => `FIXED_${index}=${path}`),
      ...hidden.map((path, index) => `HIDDEN_${index}=${path}`),
    ];
    const defines = params.flatMap((param) => ['-D', param]);
    return {
      program,
      args: [...defines, '-p', rules.join('\n'), shell, '-c', script],
      env: { TMPDIR: temp },
      release: () => rmSync(temp, { recursive: true, force: true }),
    };
  };
}

import { existsSync, realpathSync } from 'node:fs';
import type { Confine, SandboxPlace } from './confine.ts';
import { fixedInside, isWithin, waysOut } from './paths.ts';

/** Programs of some systems stand there. */
const NEEDED_IN_RUN = '/run/current-system';

/** Confines with Linux namespaces; see bwrap(1). Later mounts lie over earlier ones. */
export function bubblewrap(program: string, { env, workspace }: SandboxPlace): Confine {
  return (shell, script) => {
    const root = realpathSync(workspace);
    const hidden = waysOut(env).filter((path) => path !== root);
    const around = hidden.filter((path) => !isWithin(path, root));
    const inside = hidden.filter((path) => isWithin(path, root));
    const args = [
      ['--unshare-all', '--die-with-parent', '--cap-drop', 'ALL'],
      ['--ro-bind', '/', '/'],
      ['--dev', '/dev'],
      ['--proc', '/proc'],
      ['--tmpfs', '/tmp'],
      ...around.filter((path) => !isWithin(path, '/tmp')).map((path) => ['--tmpfs', path]),
      ...(existsSync(NEEDED_IN_RUN) ? [['--ro-bind', NEEDED_IN_RUN, NEEDED_IN_RUN]] : []),
      ['--bind', root, root],
      ...inside.map((path) => ['--tmpfs', path]),
      ...fixedInside(root, env).map((path) => ['--ro-bind', path, path]),
      ['--chdir', root, '--', shell, '-c', script],
    ];
    return { program, args: args.flat(), env: { TMPDIR: '/tmp' }, release: () => undefined };
  };
}

import { spawn } from 'node:child_process';

/**
 * What ends a process group when this process can no longer do it, for example after SIGKILL.
 * Invariants: the watching shell reads from a pipe whose other end only this process has, so that the kernel tells
 * it of our end, whatever that was; it stands outside of the group, which neither sees nor holds the pipe.
 */
export interface GroupWatcher {
  /** From now on the group does not outlive this process. */
  watch(group: number): void;
  /** Ends the watching, and nothing else. */
  release(): void;
}

/** The first line is the group; then it waits for the end of the pipe. An early end leaves nothing to do. */
const SCRIPT = 'read -r group && { read -r _; kill -s KILL -- "-$group"; }';

/** To be started before the group: between its start and `watch` lies no more than one write. */
export function startGroupWatcher(): GroupWatcher {
  const shell = spawn('/bin/sh', ['-c', SCRIPT], {
    cwd: '/',
    env: {},
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  // Without a watcher a command runs all the same: only after a SIGKILL it is missed.
  shell.on('error', () => undefined);
  shell.stdin.on('error', () => undefined);
  return {
    watch: (group) => {
      shell.stdin.write(`${group}\n`);
    },
    release: () => {
      shell.kill('SIGKILL');
    },
  };
}

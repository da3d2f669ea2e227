import { expect, it } from 'vitest';
import { whyNoBrowser } from '../../src/platform/browser.ts';

it.each([
  [{ DISPLAY: ':0' }, 'linux', null],
  [{ WAYLAND_DISPLAY: 'wayland-0' }, 'linux', null],
  [{}, 'linux', 'no-display'],
  [{ DISPLAY: '' }, 'linux', 'no-display'],
  [{ DISPLAY: 'localhost:10.0', SSH_CONNECTION: '1 2 3 4' }, 'linux', 'remote'],
  [{}, 'darwin', null],
  [{ SSH_TTY: '/dev/ttys1' }, 'darwin', 'remote'],
  [{ WSL_DISTRO_NAME: 'Debian' }, 'linux', null],
] as const)('with %j on %s the answer is %s', (env, platform, answer) => {
  expect(whyNoBrowser(env, platform)).toBe(answer);
});

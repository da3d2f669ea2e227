/** Opening a link in a browser, only where there can be one on the screen of whoever sits here. */
import type { Environment } from './terminal-abilities.ts';

/** Why no browser of this machine would be seen; null when one can be tried. Pure. */
export function whyNoBrowser(env: Environment, platform: NodeJS.Platform): 'remote' | 'no-display' | null {
  if ((env.SSH_CONNECTION ?? env.SSH_TTY ?? '') !== '') return 'remote';
  const hasScreen = platform === 'darwin' || platform === 'win32' || (env.WSL_DISTRO_NAME ?? '') !== '';
  const hasDisplay = (env.DISPLAY ?? '') !== '' || (env.WAYLAND_DISPLAY ?? '') !== '';
  return hasScreen || hasDisplay ? null : 'no-display';
}

/** Longer than any opener needs to say that it cannot, ms. */
const OPENER_MS = 2_000;

/**
 * Asks the system to open the link. Whether a browser really comes up nobody can tell: `asked` promises nothing.
 * Never waits longer than two seconds, never throws.
 */
export async function openInBrowser(url: string): Promise<'asked' | 'failed'> {
  try {
    const { default: open } = await import('open');
    const opener = await open(url);
    opener.unref();
    return await new Promise((resolve) => {
      const timer = setTimeout(() => resolve('asked'), OPENER_MS);
      const settle = (outcome: 'asked' | 'failed') => () => {
        clearTimeout(timer);
        resolve(outcome);
      };
      opener.once('error', settle('failed'));
      opener.once('exit', (code) => settle(code === 0 || code === null ? 'asked' : 'failed')());
    });
  } catch {
    return 'failed';
  }
}

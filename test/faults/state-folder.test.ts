/** A state folder that cannot be written: one clear line, an exit code, and no service. */
import { chmodSync, existsSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { report } from './report.ts';
import { ServiceHome } from './service-home.ts';
import { canMount, mountTmpfs, unmount } from './system.ts';

const READ_ONLY = 'state folder on a read-only file system';
const NO_RIGHTS = 'state folder without the right to write';

const open: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

function newHome(): ServiceHome {
  const home = new ServiceHome();
  open.push(() => home.dispose());
  return home;
}

async function expectRefusal(home: ServiceHome, fault: string, why: RegExp, expected = 1): Promise<void> {
  const service = home.spawn();
  const { code } = await service.ended;
  expect({ code, lines: service.stderr.split('\n').length - 1 }).toEqual({ code: expected, lines: 1 });
  expect(service.stderr).toContain(home.state);
  expect(service.stderr).toMatch(why);
  expect(existsSync(home.endpoint.socket)).toBe(false);
  report(fault, `exit code ${code}, "${service.stderr.trim().replaceAll(home.root, '…')}"`);
}

describe('a state folder that cannot be used', () => {
  it('a file is in its place: that is a mistake on the command line', async () => {
    const home = newHome();
    rmdirSync(home.state);
    writeFileSync(home.state, '');
    await expectRefusal(
      home,
      'a file in the place of the state folder',
      /Set MAGI_TERM_HOME or --state-root/,
      2,
    );
  });

  it.each(['sessions', 'logs'])('a file is in the place of %s', async (name) => {
    const home = newHome();
    writeFileSync(join(home.state, name), '');
    await expectRefusal(home, `a file in the place of ${name}`, /cannot be written: (EEXIST|ENOTDIR)\.$/m);
  });

  it.runIf(process.geteuid?.() !== 0)('its mode forbids writing', async () => {
    const home = newHome();
    chmodSync(home.state, 0o500);
    open.push(() => chmodSync(home.state, 0o700));
    await expectRefusal(home, NO_RIGHTS, /cannot be written: EACCES\.$/m);
  });

  it.runIf(canMount(READ_ONLY))('its file system is read-only', async () => {
    const home = newHome();
    mountTmpfs(home.state, 'size=1m,ro');
    open.push(() => unmount(home.state));
    await expectRefusal(home, READ_ONLY, /cannot be written: EROFS\.$/m);
  });
});

if (process.geteuid?.() === 0) report(NO_RIGHTS, 'skipped: root may write whatever the mode says');

/** The program that finds or starts the daemon itself (PROTOCOL.md, "Endpoint"). */
import { afterEach, describe, expect, test, vi } from 'vitest';
import { dialExternal } from '../../src/cli/external-service.ts';
import { failureOf } from '../client/helpers.ts';
import { daemonCommand, daemonProgram, endpointOf, Home, removeEndpoint } from './daemon.ts';
import { DAEMON_VERSION } from './terms.ts';

const homes: Home[] = [];
afterEach(async () => {
  vi.unstubAllEnvs();
  for (const home of homes.splice(0)) {
    removeEndpoint(endpointOf(home.identity));
    home.remove();
  }
});

function newHome(): Home {
  const home = new Home({ schema_version: 2 });
  homes.push(home);
  for (const [name, value] of Object.entries(home.env)) vi.stubEnv(name, value);
  return home;
}

/** The daemon is nobody's child here: it is asked to stop, as soon as it has noticed that its clients are gone. */
async function stop(home: Home): Promise<void> {
  while (true) {
    const stopped = await daemonCommand('stop', home.identity).then(
      () => true,
      ({ stderr }) => {
        expect(stderr).toContain('daemon is busy; no work was stopped');
        return false;
      },
    );
    if (stopped) return;
  }
}

describe('dialExternal', () => {
  test('starts a daemon, and finds it the second time', async () => {
    const home = newHome();
    const { workspace } = home.identity;
    const first = await dialExternal(daemonProgram(), workspace);
    try {
      expect(first.service).toMatchObject({ server_name: 'magi-code', server_version: DAEMON_VERSION });
      const second = await dialExternal(daemonProgram(), workspace);
      second.close();
      expect(second.service.instance_id).toBe(first.service.instance_id);
      expect(await first.request('session.active', {})).toEqual({ sessions: [] });
    } finally {
      first.close();
      await stop(home);
    }
  });

  test('passes on what the program says of a missing workspace', async () => {
    const home = newHome();
    const failure = await failureOf(dialExternal(daemonProgram(), `${home.root}/nowhere`));
    expect(failure.code).toBe('endpoint_absent');
    expect(failure.sentence).toBe(`${daemonProgram()} did not give a service: workspace must exist.`);
  });
});

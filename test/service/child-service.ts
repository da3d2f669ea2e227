/** A service process with an agent that never stops talking. Arguments: workspace, state root. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { runServiceWith } from '../../src/service/run.ts';

const [, , workspace = '', stateRoot = ''] = process.argv;
const options = {
  workspace,
  stateRoot,
  settingsFile: join(stateRoot, 'settings.json'),
  env: { MAGI_TERM_PROVIDER: 'demo' },
  version: '9.9.9',
  detached: true,
};

process.exitCode = await runServiceWith(options, () => ({
  discover: async () => [],
  runtime: {
    listModels: async () => [],
    startTurn: () => {
      let stopped = false;
      async function* events() {
        while (!stopped) {
          yield { type: 'text', text: 'word ' } as const;
          await sleep(5);
        }
        yield { type: 'end', status: 'cancelled' } as const;
      }
      const abort = (): void => {
        stopped = true;
      };
      return { events: events(), abort, steer: () => false };
    },
  },
}));

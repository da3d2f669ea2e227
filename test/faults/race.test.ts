/** Two services are started for one folder at the same moment. */
import { expect, it } from 'vitest';
import { report } from './report.ts';
import { ServiceHome } from './service-home.ts';

const ROUNDS = 10;
const TAKEN = 'The service is already starting or running for this folder.\n';

it(`one of two wins, ${ROUNDS} times`, async () => {
  const home = new ServiceHome();
  const wins = [0, 0];
  try {
    for (let round = 0; round < ROUNDS; round += 1) {
      const racers = [home.spawn(), home.spawn()];
      const loser = await Promise.race(racers.map((racer) => racer.ended.then(() => racer)));
      const winner = racers[1 - racers.indexOf(loser)];
      expect([(await loser.ended).code, loser.stderr]).toEqual([1, TAKEN]);
      while (!(await home.answers())) expect(winner?.isRunning).toBe(true);
      wins[racers.indexOf(loser)] = (wins[racers.indexOf(loser)] ?? 0) + 1;
      expect(await winner?.end('SIGTERM')).toEqual({ code: 0, signal: null });
    }
  } finally {
    await home.dispose();
  }
  report(
    'two services for one folder',
    `${ROUNDS} rounds, one winner each (${wins.join(' lost : ')} lost), the other says so`,
  );
});

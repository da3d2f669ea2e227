/** What is known of tools when the link was lost in between (PROTOCOL.md, "Activity": nothing is told twice). */
import { expect, test, vi } from 'vitest';
import { FakeService } from './fake-service.ts';
import { runTurn, type Scene, scene, untilReady } from './scene.ts';

const tool = (activity_id: string, status: 'running' | 'completed') => ({
  activity: {
    kind: 'tool',
    activity_id,
    tool_id: 'tool-1',
    tool_name: 'read',
    server_id: null,
    transport: 'local',
    status,
    timed_out: null,
    details_omitted: true,
  },
});

const states = ({ store }: Scene) =>
  store.getState().live?.blocks.flatMap((block) => (block.kind === 'tool' ? [block.status] : []));

test('a call that ran when the link was lost is not said to run, and its end is taken when it comes', async () => {
  const made = scene();
  await untilReady(made);
  await runTurn(made, 'Hello');
  made.service.send('turn.activity', tool('a', 'running'));
  made.service.send('turn.activity', tool('b', 'running'));
  expect(states(made)).toEqual(['running', 'running']);
  made.service.snapshot = {
    turn: {
      turn_id: 'turn-1',
      operation_id: made.service.operationId,
      assistant_text: '',
      sequence: 3,
      activity_dropped: 2,
      replay_required: false,
    },
  };
  made.service.drop();
  await vi.waitFor(() => expect(states(made)).toEqual(['unknown', 'unknown']));
  await untilReady(made);
  made.service.send('turn.activity', { ...tool('b', 'completed'), sequence: 9 });
  expect(states(made)).toEqual(['unknown', 'ok']);
  expect(made.store.getState().live?.dropped).toBeGreaterThanOrEqual(2);
});

test('a settled turn keeps the count of what was left out', async () => {
  const made = scene(new FakeService('instance-1'));
  await untilReady(made);
  await runTurn(made, 'Hello');
  made.service.send('turn.activity', { ...tool('a', 'completed'), sequence: 5 });
  made.service.send('turn.terminal', {
    session_id: 'session-1',
    status: 'completed',
    assistant_text: 'Done.',
    activity_dropped: 4,
    activity_replay_available: false,
    replay_required: true,
    persistence: 'committed',
    error: null,
    sequence: 9,
  });
  await vi.waitFor(() => expect(made.store.getState().live).toBeNull());
  const end = made.store.getState().history.find((block) => block.kind === 'turn-end');
  expect(end).toMatchObject({ dropped: 4 });
});

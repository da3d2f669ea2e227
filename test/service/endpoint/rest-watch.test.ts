import { setImmediate } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { RestWatch } from '../../../src/service/endpoint/rest-watch.ts';
import { ManualClock } from '../manual-clock.ts';

const REST_MS = 5_000;

describe('a service at rest', () => {
  it('gives memory back once, after the last change', () => {
    const clock = new ManualClock();
    const collect = vi.fn();
    const watch = new RestWatch(clock, () => true, collect);
    watch.check();
    clock.advance(REST_MS - 1);
    watch.check();
    clock.advance(REST_MS - 1);
    expect(collect).not.toHaveBeenCalled();
    clock.advance(1);
    clock.advance(10 * REST_MS);
    expect(collect).toHaveBeenCalledTimes(1);
  });

  it('does not disturb work, whether it was there before or has come since', () => {
    const clock = new ManualClock();
    const collect = vi.fn();
    let isResting = false;
    const watch = new RestWatch(clock, () => isResting, collect);
    watch.check();
    isResting = true;
    clock.advance(REST_MS);
    watch.check();
    isResting = false;
    clock.advance(REST_MS);
    expect(collect).not.toHaveBeenCalled();
  });

  it('lets go when it is closed', () => {
    const clock = new ManualClock();
    const collect = vi.fn();
    const watch = new RestWatch(clock, () => true, collect);
    watch.check();
    watch.close();
    clock.advance(REST_MS);
    expect(collect).not.toHaveBeenCalled();
  });

  it('really collects', async () => {
    const clock = new ManualClock();
    const watch = new RestWatch(clock, () => true);
    const garbage = new WeakRef({ kept: 'by nobody' });
    await setImmediate();
    watch.check();
    clock.advance(REST_MS);
    expect(garbage.deref()).toBeUndefined();
  });
});

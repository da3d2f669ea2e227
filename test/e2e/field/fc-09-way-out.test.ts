/** The way out is a ladder. Its rungs are checked as a pure step in test/ui/keys/interrupt-ladder.test.ts. */
import { describe, expect, it } from 'vitest';
import { draftOf, FIELD_TIMEOUT, FieldStage, PATIENCE, say } from '../../support/field-stage.ts';
import type { PtyProgram } from '../../support/pty.ts';
import type { StagedService } from '../../support/staged-service.ts';

const stage = new FieldStage();
const LEFT = { code: 0, signal: null };

async function chat(): Promise<PtyProgram> {
  const { user, joining } = await stage.staged();
  return stage.ready(user, { args: joining });
}

/** A turn that has said something. */
async function running(): Promise<{ program: PtyProgram; service: StagedService }> {
  const { user, service, joining } = await stage.staged();
  const program = await stage.ready(user, { args: joining });
  await say(program, 'go');
  await program.waitFor('working', PATIENCE);
  service.delta('Some words. ');
  await program.waitFor('Some words.', PATIENCE);
  return { program, service };
}

describe('FC-09 the way out is a ladder', FIELD_TIMEOUT, () => {
  it('the first Ctrl+C clears the draft and says how to leave, the second one leaves', async () => {
    const program = await chat();
    await program.type('abc');
    await program.waitFor('› abc', PATIENCE);
    program.press('ctrl+c');
    await program.waitFor('Ctrl+C again to leave', PATIENCE);
    expect(draftOf(program)).toEqual(['Write a message']);
    await program.waitForQuiet(50);
    program.press('ctrl+c');
    expect(await program.exit).toEqual(LEFT);
  });

  it('Ctrl+D deletes forward in a draft, and leaves from an empty one', async () => {
    const program = await chat();
    await program.type('abc');
    program.press('home');
    program.press('right');
    program.press('ctrl+d');
    await program.waitFor((screen) => /› ac$/m.test(screen.text()), PATIENCE);
    program.press('ctrl+u');
    program.press('ctrl+k');
    await program.waitFor('Write a message', PATIENCE);
    program.press('ctrl+d');
    expect(await program.exit).toEqual(LEFT);
  });

  it.each([
    ['Esc', 'escape'],
    ['Ctrl+C', 'ctrl+c'],
  ] as const)(
    '%s asks a running turn to stop exactly once, however often it is pressed',
    async (_name, key) => {
      const { program, service } = await running();
      program.press(key);
      await program.waitFor('stopping', PATIENCE);
      program.press('escape');
      await program.waitForQuiet(100);
      program.press('ctrl+c');
      // The last words may still come.
      service.delta('The last words.');
      await program.waitFor('The last words.', PATIENCE);
      program.press('escape');
      await program.waitForQuiet(200);
      service.finish();
      await program.waitFor('ready', PATIENCE);
      expect(service.asked('turn.cancel').length).toBe(1);
      expect(program.isAlternate()).toBe(true);
    },
  );

  it('a service that never confirms is named after 5 s, and Ctrl+C leaves', async () => {
    const { program, service } = await running();
    const begun = performance.now();
    program.press('ctrl+c');
    await program.waitFor('stopping', PATIENCE);
    await program.waitFor('does not confirm the stop', PATIENCE);
    expect(performance.now() - begun).toBeGreaterThan(4_900);
    program.press('ctrl+c');
    expect(await program.exit).toEqual(LEFT);
    expect(service.asked('turn.cancel').length).toBe(1);
  });

  it('two Ctrl+C in one read are one press', async () => {
    const program = await chat();
    program.write('\u0003\u0003');
    await program.waitFor('Ctrl+C again to leave', PATIENCE);
    await program.waitForQuiet(300);
    expect(program.isAlternate()).toBe(true);
  });
});

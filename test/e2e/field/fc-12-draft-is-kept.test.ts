/** The draft is never lost. The walk through history is checked in test/ui/composer/history.test.ts. */
import { describe, expect, it } from 'vitest';
import { count, draftOf, FIELD_TIMEOUT, FieldStage, PATIENCE, say } from '../../support/field-stage.ts';
import type { PtyProgram } from '../../support/pty.ts';

const stage = new FieldStage();

async function chat(): Promise<{ program: PtyProgram; said: string[] }> {
  const said: string[] = [];
  const { user } = await stage.answered(({ lastUser }) => {
    said.push(lastUser);
    return lastUser === 'wait'
      ? [{ text: 'Waiting.' }, { stall: true }]
      : [{ text: `Heard ${lastUser.length}.` }];
  });
  return { program: await stage.ready(user), said };
}

describe('FC-12 the draft is never lost', FIELD_TIMEOUT, () => {
  it('on the way through history: an edited older message stays edited until something is sent', async () => {
    const { program, said } = await chat();
    await say(program, 'first');
    await program.waitFor('Heard 5.', PATIENCE);
    await program.waitFor('ready', PATIENCE);
    await program.type('draft');
    program.press('up');
    await program.waitFor('› first', PATIENCE);
    program.press('down');
    await program.waitFor('› draft', PATIENCE);
    program.press('up');
    await program.type(' edited');
    await program.waitFor('› first edited', PATIENCE);
    program.press('down');
    await program.waitFor('› draft', PATIENCE);
    program.press('up');
    await program.waitFor('› first edited', PATIENCE);
    program.press('down');
    await program.waitFor('› draft', PATIENCE);
    program.press('enter');
    await program.waitFor((screen) => count(screen.text(), 'Heard 5.') === 2, PATIENCE);
    expect(said).toEqual(['first', 'draft']);
    program.press('up');
    program.press('up');
    await program.waitFor((screen) => /› first$/m.test(screen.text()), PATIENCE);
  });

  it('Up moves within a draft of two lines before it leaves it', async () => {
    const { program } = await chat();
    await say(program, 'older');
    await program.waitFor('Heard 5.', PATIENCE);
    await program.waitFor('ready', PATIENCE);
    await program.type('one');
    program.press('newline');
    await program.type('two');
    await program.waitFor('two', PATIENCE);
    const { y } = program.screen.cursor();
    program.press('up');
    await program.waitFor((screen) => screen.cursor().y === y - 1, PATIENCE);
    expect(draftOf(program)).toEqual(['one', 'two']);
    program.press('up');
    await program.waitFor('› older', PATIENCE);
  });

  it('on the way through the sessions, the help, the sign-in and the choices', async () => {
    const { program } = await chat();
    await program.type('draft');
    for (const [key, words] of [
      ['f2', 'Sessions'],
      ['f1', 'Everywhere'],
      ['f5', 'Who should answer?'],
      ['alt+l', 'Sign in · who can answer'],
      ['f3', 'Permission'],
    ] as const) {
      program.press(key);
      await program.waitFor(words, PATIENCE);
      await program.waitForQuiet(100);
      program.press('escape');
      await program.waitFor('› draft', PATIENCE);
    }
  });

  it('two queued messages and Esc: the turn stops, both are back in order, and nothing was sent twice', async () => {
    const { program, said } = await chat();
    await say(program, 'wait');
    await program.waitFor('Waiting.', PATIENCE);
    await say(program, 'queued one');
    await program.waitFor('queued: queued one', PATIENCE);
    await say(program, 'queued two');
    await program.waitFor('queued: queued two', PATIENCE);
    program.press('escape');
    await program.waitFor('■ stopped', PATIENCE);
    await program.waitFor('ready', PATIENCE);
    expect(draftOf(program)).toEqual(['queued one', 'queued two']);
    program.press('enter');
    await program.waitFor('Heard 21.', PATIENCE);
    expect(said).toEqual(['wait', 'queued one\nqueued two']);
  });

  it('a message that the service refuses is back with the reason', async () => {
    const { user, service, joining } = await stage.staged({
      answers: {
        'turn.start': (request, peer) => {
          peer.refuse(request, 'session_busy');
          return 'answered';
        },
      },
    });
    const program = await stage.ready(user, { args: joining });
    await say(program, 'please take this');
    await program.waitFor(/Not sent\. The session is in use/, PATIENCE);
    expect(draftOf(program)[0]).toBe('please take this');
    expect(service.asked('turn.start').length).toBe(1);
  });

  it('a kill: it is there at the next start', async () => {
    const { user } = await stage.answered(() => [{ text: 'Heard.' }]);
    const program = await stage.ready(user);
    await program.type('half a thought');
    await program.waitFor('half a thought', PATIENCE);
    program.kill('SIGTERM');
    await program.exit;
    const again = stage.start(user);
    await again.waitFor('› half a thought', PATIENCE);
  });
});

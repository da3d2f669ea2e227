/** Pasted lines arrive as lines. The stage that reads pastes is checked byte by byte in test/ui/keys/decoder.test.ts. */
import { describe, expect, it } from 'vitest';
import { draftOf, FIELD_TIMEOUT, FieldStage, PATIENCE } from '../../support/field-stage.ts';

const stage = new FieldStage();

const PASTE = 'one\r\nt\u001bw\u0007o\rthree\n\tfour\n\n/quit\n!rm';
const TEXT = 'see: one\ntwo\nthree\n\tfour\n\n/quit\n!rm';

describe('FC-06 pasted lines arrive as lines', FIELD_TIMEOUT, () => {
  it('as lines of the draft, and on Enter as one message', async () => {
    const said: string[] = [];
    const { user } = await stage.answered(({ lastUser }) => {
      said.push(lastUser);
      return [{ text: 'Heard it.' }];
    });
    const program = await stage.ready(user);
    await program.type('see: ');
    program.write(`\u001b[200~${PASTE}\u001b[201~`);
    await program.waitFor('!rm', PATIENCE);
    await program.waitForQuiet(1_000);
    expect(draftOf(program)).toEqual(['see: one', 'two', 'three', '    four', '', '/quit', '!rm']);
    expect(program.isAlternate()).toBe(true);
    expect(said).toEqual([]);
    program.press('enter');
    await program.waitFor('Heard it.', PATIENCE);
    expect(said).toEqual([TEXT]);
    await program.waitFor('ready', PATIENCE);
    expect(draftOf(program)).toEqual(['Write a message']);
  });

  it('also when the paste comes in pieces, its brackets cut apart', async () => {
    const said: string[] = [];
    const { user } = await stage.answered(({ lastUser }) => {
      said.push(lastUser);
      return [{ text: 'Heard it.' }];
    });
    const program = await stage.ready(user);
    await program.type('see: ');
    for (const piece of [
      '\u001b[20',
      '0~one\r',
      '\nt\u001b',
      'w\u0007o\rthree\n\tfo',
      'ur\n\n/quit\n!rm\u001b[2',
      '01~',
    ]) {
      program.write(piece);
      await new Promise((done) => setTimeout(done, 10));
    }
    await program.waitFor('!rm', PATIENCE);
    expect(said).toEqual([]);
    program.press('enter');
    await program.waitFor('Heard it.', PATIENCE);
    expect(said).toEqual([TEXT]);
  });
});

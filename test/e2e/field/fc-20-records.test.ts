/** Records are cut at LF and nowhere else: what a person sees of it. The cutting is checked in test/wire/framing.test.ts, the decoding in test/client. */
import { describe, expect, it, vi } from 'vitest';
import { encodeRecord } from '../../../src/wire/json.ts';
import { LIMITS } from '../../../src/wire/limits.ts';
import { count, FIELD_TIMEOUT, FieldStage, isUnlinked, PATIENCE, say } from '../../support/field-stage.ts';
import type { PtyProgram } from '../../support/pty.ts';
import type { StagedService } from '../../support/staged-service.ts';

const stage = new FieldStage();

async function running(): Promise<{ program: PtyProgram; service: StagedService }> {
  const { user, service, joining } = await stage.staged();
  const program = await stage.ready(user, { args: joining });
  await say(program, 'go');
  await program.waitFor('working', PATIENCE);
  return { program, service };
}

/** The link was lost and found: nothing on the screen need say so. */
async function cameBack(service: StagedService): Promise<void> {
  await vi.waitFor(() => expect(service.asked('session.claim').length).toBe(2), { timeout: 30_000 });
}

/** A record padded by spaces to a length, without its LF. */
function padded(record: unknown, length: number): Buffer {
  const bytes = encodeRecord(record).subarray(0, -1);
  return Buffer.concat([bytes, Buffer.alloc(length - bytes.length, ' ')]);
}

describe('FC-20 records are cut at LF and nowhere else', FIELD_TIMEOUT, () => {
  it('every good record is shown once with its text', async () => {
    const { program, service } = await running();
    service.delta('before\u2028between\u2029after.\n\n');
    const wide = encodeRecord(service.deltaRecord('four bytes: 😀.\n\n'));
    for (const byte of wide) {
      service.bytes(Buffer.of(byte));
      await new Promise(setImmediate);
    }
    service.bytes(
      Buffer.concat([
        encodeRecord(service.deltaRecord('with CR LF.\n\n')).subarray(0, -1),
        Buffer.from('\r\n'),
      ]),
    );
    service.bytes(
      Buffer.concat([
        padded(service.deltaRecord('as long as it may be.\n\n'), LIMITS.max_record_bytes - 1),
        Buffer.from('\n'),
      ]),
    );
    service.delta('the last one.');
    await program.waitFor('the last one.', PATIENCE);
    const text = program.screen.text();
    for (const words of [
      'before',
      'between',
      'after.',
      'four bytes: 😀.',
      'with CR LF.',
      'as long as it may be.',
    ])
      expect(count(text, words), words).toBe(1);
    expect(service.asked('session.claim').length).toBe(1);
    service.finish();
    await program.waitFor('ready', PATIENCE);
  });

  it.each<readonly [string, (service: StagedService) => Buffer]>([
    ['an empty line', () => Buffer.from('\n')],
    ['invalid UTF-8', () => Buffer.from([0x22, 0xff, 0x22, 0x0a])],
    [
      'a line that is cut off, and a good one',
      (service) =>
        Buffer.concat([Buffer.from('{"text":"secret-word\n'), encodeRecord(service.deltaRecord(''))]),
    ],
    [
      'an unknown kind of event',
      (service) => encodeRecord(service.eventOf('turn.surprise', { sequence: 9, text: 'secret-word' })),
    ],
    [
      'a record that is too long',
      () => Buffer.concat([Buffer.alloc(LIMITS.max_record_bytes + 1, ' '), Buffer.from('\n')]),
    ],
  ])(
    '%s ends the link, which comes back; nothing is lost, shown twice or left silent',
    async (_name, bad) => {
      const { program, service } = await running();
      service.delta('Words before. ');
      await program.waitFor('Words before.', PATIENCE);
      service.bytes(bad(service));
      await cameBack(service);
      service.delta('Words after.');
      await program.waitFor('Words after.', PATIENCE);
      expect(count(program.screen.text(), 'Words before.')).toBe(1);
      service.finish();
      await program.waitFor('ready', PATIENCE);
      expect(count(program.screen.text(), 'Words')).toBe(2);
      expect(program.bytes()).not.toContain('secret-word');
    },
  );

  it('a last record without LF at the close is not taken for a whole one', async () => {
    const { program, service } = await running();
    service.delta('Words before. ');
    await program.waitFor('Words before.', PATIENCE);
    const record = service.eventOf('turn.assistant_delta', { sequence: 2, text: 'Half. ' });
    service.bytes(encodeRecord(record).subarray(0, -1));
    await service.hangUp();
    await program.waitFor(isUnlinked, PATIENCE);
    expect(program.screen.text()).not.toContain('Half.');
    await service.listen();
    await cameBack(service);
    service.finish();
    await program.waitFor('ready', PATIENCE);
    expect(count(program.screen.text(), 'Words before.')).toBe(1);
  });
});

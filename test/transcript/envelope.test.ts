/** What the profile adds to envelopes survives reading (PROTOCOL.md, "Session profile"). */
import { expect, test } from 'vitest';
import { readEnvelope, titleIn } from '../../src/transcript/envelope.ts';
import { formatLine, parseLine } from '../../src/transcript/jsonl.ts';

const envelope = (ev: object) => ({ id: 'e1', time: 1, role: 'agent', ev });
const named = (title: string) => readEnvelope(envelope({ t: 'service', text: 'Named.', title }));

test.each([
  { t: 'service', kind: 'notice', text: 'The session was given a name.', title: 'Name' },
  { t: 'service', kind: 'notice', text: 'The session was archived.', archived: true },
  { t: 'agent-configuration-changed', model: 'm-1', provider: 'demo', thinkingLevel: 'default' },
])('%o is kept whole', (ev) => {
  const read = readEnvelope(envelope(ev));
  expect(read).toEqual(envelope(ev));
  expect(parseLine(formatLine(read ?? { id: '', time: 0, role: 'agent', ev: { t: '' } }))).toMatchObject({
    kind: 'envelope',
    envelope: envelope(ev),
  });
});

test('the last name counts, and no name is none', () => {
  const other = readEnvelope(envelope({ t: 'service', text: 'Anything' }));
  const strange = readEnvelope(envelope({ t: 'weather', title: 'Rain' }));
  const all = [named('One'), other, named('Two'), other, strange].flatMap((read) => read ?? []);
  expect(titleIn(all)).toBe('Two');
  expect(titleIn([other, strange].flatMap((read) => read ?? []))).toBeNull();
});

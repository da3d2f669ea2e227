import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Block, fold } from '../../src/transcript/blocks.ts';
import { type Envelope, envelope, type UnknownEnvelope } from '../../src/transcript/envelope.ts';
import { formatLine, parseLine } from '../../src/transcript/jsonl.ts';

const TURN = 'turn1';
let serial = 0;

function agent(ev: Envelope['ev']): Envelope {
  serial += 1;
  return { id: `a${serial}`, time: serial, role: 'agent', turn: TURN, ev };
}

function user(text: string): Envelope {
  serial += 1;
  return { id: `u${serial}`, time: serial, role: 'user', ev: { t: 'text', text } };
}

const conversation: readonly Envelope[] = [
  user('Look'),
  agent({ t: 'turn-start' }),
  agent({ t: 'text', text: 'One ' }),
  agent({ t: 'text', text: 'two.' }),
  agent({ t: 'tool-call-start', call: 'c1', name: 'read', title: 'a.ts', description: '', args: {} }),
  agent({ t: 'tool-call-end', call: 'c1', status: 'ok', output: 'x', durationMs: 12 }),
  agent({ t: 'text', text: 'Three.' }),
  agent({ t: 'turn-end', status: 'completed' }),
];

/** What a reader sees, without the bookkeeping. */
function seen(blocks: readonly Block[]): string[] {
  return blocks.map((block) => {
    switch (block.kind) {
      case 'tool':
        return `tool ${block.name} ${block.title} ${block.status} ${block.durationMs}`;
      case 'turn-end':
        return `end ${block.status}`;
      case 'file':
        return `file ${block.name} ${block.size}`;
      default:
        return `${block.kind} ${block.text}`;
    }
  });
}

describe('fold', () => {
  it('joins consecutive answers and ends tools in place', () => {
    expect(seen(fold([], conversation))).toEqual([
      'user Look',
      'answer One two.',
      'tool read a.ts ok 12',
      'answer Three.',
      'end completed',
    ]);
  });

  it('gives the same blocks however the envelopes are cut', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: conversation.length })), (cuts) => {
        const places = [0, ...cuts.toSorted((left, right) => left - right), conversation.length];
        let blocks: readonly Block[] = [];
        for (const [index, place] of places.slice(1).entries())
          blocks = fold(blocks, conversation.slice(places[index], place));
        expect(blocks).toEqual(fold([], conversation));
      }),
    );
  });

  it('keeps an unknown event as one line', () => {
    const odd: UnknownEnvelope = {
      id: 'x1',
      time: 1,
      role: 'agent',
      turn: TURN,
      ev: { t: 'hologram', size: 3 },
    };
    expect(seen(fold([], [odd]))).toEqual(['service (hologram: not known to this version)']);
  });
});

describe('envelopes as lines', () => {
  it('come back as they went', () => {
    for (const one of conversation) {
      expect(parseLine(formatLine(one).trimEnd())).toEqual({ kind: 'envelope', envelope: one });
    }
  });

  it('keep an unknown event verbatim', () => {
    const odd = { id: 'x1', time: 1, role: 'agent', turn: TURN, ev: { t: 'hologram', size: 3 }, extra: [1] };
    expect(parseLine(JSON.stringify(odd))).toEqual({ kind: 'unknown', envelope: odd });
  });

  it.each([
    ['half a line', '{"id":"a1","time"'],
    [
      'a known event with a wrong member',
      '{"id":"a1","time":1,"role":"agent","turn":"t1","ev":{"t":"text","text":7}}',
    ],
    ['another thing', '[]'],
  ])('report %s as bad', (_name, line) => {
    expect(parseLine(line)).toEqual({ kind: 'bad' });
  });

  it.each([
    ['abort', { id: 'a1', time: 1, role: 'agent', turn: TURN, ev: { t: 'abort' } }],
    ['service', { id: 'a1', time: 1, role: 'user', ev: { t: 'service', text: 'x' } }],
    ['text', { id: 'a1', time: 1, role: 'agent', ev: { t: 'text', text: 'outside a turn' } }],
    ['text', { id: 'a1', time: 1, role: 'agent', turn: TURN, ev: { t: 'text', text: 'x', steer: true } }],
  ])('refuse %s from the wrong role or place', (_name, value) => {
    expect(envelope.safeParse(value).success).toBe(false);
  });
});

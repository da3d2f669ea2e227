import { describe, expect, it } from 'vitest';
import { orderOf } from '../../../src/ui/plain/orders.ts';

describe('a typed line', () => {
  it.each([
    ['hello', 'anything', { kind: 'say', text: 'hello' }],
    ['  ', 'anything', { kind: 'nothing' }],
    ['/help', 'anything', { kind: 'help' }],
    [' /help', 'anything', { kind: 'say', text: ' /help' }],
    ['/usr/bin is full', 'anything', { kind: 'say', text: '/usr/bin is full' }],
    ['/hepl', 'anything', { kind: 'unknown', word: 'hepl' }],
    ['3', 'list', { kind: 'pick', number: 3 }],
    ['3', 'anything', { kind: 'say', text: '3' }],
    ['Y', 'question', { kind: 'answer', decision: 'allow-once' }],
    ['a', 'question', { kind: 'answer', decision: 'allow-always' }],
    ['n', 'question', { kind: 'answer', decision: 'deny' }],
    ['y', 'anything', { kind: 'say', text: 'y' }],
    ['no, rather this', 'question', { kind: 'say', text: 'no, rather this' }],
    ['/stop', 'question', { kind: 'stop' }],
  ] as const)('%j while %s is expected', (line, expecting, order) => {
    expect(orderOf(line, expecting)).toEqual(order);
  });
});

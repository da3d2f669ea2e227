/** What a subagent does is folded away in the talk with the card of its task. */
import { expect, it } from 'vitest';
import { rowText } from '../../../src/render/row.ts';
import { INITIAL } from '../../../src/store/state.ts';
import { fold } from '../../../src/transcript/blocks.ts';
import type { Envelope } from '../../../src/transcript/envelope.ts';
import { type Folds, NO_FOLDS, withFold } from '../../../src/ui/reading/folds.ts';
import { NO_LOOK } from '../../../src/ui/reading/talk-look.ts';
import { Talk } from '../../../src/ui/talk.ts';

const head = (id: string) => ({ id, time: 5, role: 'agent', turn: 't' }) as const;
const start = (call: string, name: string, subagent?: string): Envelope => ({
  ...head(call),
  ...(subagent === undefined ? {} : { subagent }),
  ev: { t: 'tool-call-start', call, name, title: `title of ${call}`, description: '', args: {} },
});
const begins = (id: string, agentId: string, title: string, subagent?: string): Envelope => ({
  ...head(id),
  ...(subagent === undefined ? {} : { subagent }),
  ev: { t: 'subagent-start', agentId, title },
});

const history = fold(
  [],
  [
    start('t1', 'task'),
    begins('b1', 'outer', 'title of t1'),
    start('c1', 'read', 'outer'),
    start('t2', 'task', 'outer'),
    begins('b2', 'inner', 'title of t2', 'outer'),
    start('c2', 'grep', 'inner'),
    start('c3', 'bash'),
  ],
);

function shown(talk: Talk, folds: Folds): string[] {
  const area = { width: 80, height: 20, look: { ...NO_LOOK, folds } };
  const { rows } = talk.window({ ...INITIAL, history }, { kind: 'tail' }, area);
  return rows.map((row) => /title of \w\d/.exec(rowText(row))?.[0].slice(-2) ?? '');
}

it('shows as much of the work as the cards are unfolded, and hides it again', () => {
  const talk = new Talk();
  expect(shown(talk, NO_FOLDS)).toEqual(['t1', 'c3']);
  const outer = withFold(NO_FOLDS, 't1', 'open');
  expect(shown(talk, outer)).toEqual(['t1', 'c1', 't2', 'c3']);
  const both = withFold(outer, 't2', 'open');
  expect(shown(talk, both)).toEqual(['t1', 'c1', 't2', 'c2', 'c3']);
  expect(shown(talk, withFold(both, 't1', 'folded'))).toEqual(['t1', 'c3']);
});

it('says in the card how much is below it', () => {
  const talk = new Talk();
  const { rows } = talk.window({ ...INITIAL, history }, { kind: 'tail' }, { width: 80, height: 20 });
  expect(rowText(rows[0] ?? { spans: [], width: 0 })).toMatch(/⟳ task +title of t1 +3 tools/);
});

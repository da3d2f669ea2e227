/** One writer, and the session keeps its model. What a session chose is kept and read in test/store/choices.test.ts and test/service. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { answeredBy } from '../../support/app.ts';
import { draftOf, FIELD_TIMEOUT, FieldStage, PATIENCE, say } from '../../support/field-stage.ts';
import { startModelServer } from '../../support/model-server.ts';
import type { PtyProgram } from '../../support/pty.ts';

const stage = new FieldStage();

const ONE = 'claude-sonnet-4-5';
const TWO = 'claude-sonnet-4-6';
const SIZE = { cols: 120, rows: 30 };
/** What the session works with, in the header. */
const CHOSEN = new RegExp(`${TWO} · high`);

/** Chooses in a list that a key opens. */
async function choose(
  program: PtyProgram,
  key: 'alt+m' | 'alt+t',
  words: string,
  entry: RegExp,
): Promise<void> {
  program.press(key);
  await program.waitFor(/Enter choose/, PATIENCE);
  await program.type(words);
  await program.waitFor(entry, PATIENCE);
  program.press('enter');
}

describe('FC-22 one writer, and the session keeps its model', FIELD_TIMEOUT, () => {
  it('a second window reads along, takes over when it may, and works with what the session chose', async () => {
    const server = await startModelServer({
      models: [ONE, TWO],
      script: ({ lastUser }) => [{ text: `Answer to ${lastUser}.` }],
    });
    stage.atEnd(() => server.close());
    const settings = {
      ...(answeredBy(server.url, 'anthropic-messages') as object),
      model: ONE,
      thinkingLevel: 'low',
    };
    const user = stage.home({ settings });
    const before = readFileSync(user.settingsFile, 'utf8');
    const sent = (): unknown[] => server.requests.map(({ body }) => [body.model, body.thinking]);

    // A holds a session that works with a model and a level of its own.
    const first = await stage.ready(user, SIZE);
    await choose(first, 'alt+m', 'sonnet 4.6', /› .*Sonnet 4\.6/);
    await first.waitFor(new RegExp(TWO), PATIENCE);
    await choose(first, 'alt+t', 'high', /› .*high/);
    await first.waitFor(CHOSEN, PATIENCE);
    await say(first, 'mine');
    await first.waitFor('Answer to mine.', PATIENCE);
    await first.waitFor('ready', PATIENCE);

    // B is told before the first key, reads along, and nothing of it is sent.
    const second = stage.start(user, { ...SIZE, args: ['--session', 'last'] });
    await second.waitFor('Answer to mine.', PATIENCE);
    await second.waitFor('read only', PATIENCE);
    await second.waitFor(CHOSEN, PATIENCE);
    await say(second, 'not yours');
    await second.waitFor('Not sent.', PATIENCE);
    expect(draftOf(second)[0]).toBe('not yours');
    expect(first.screen.text()).not.toContain('not yours');
    await say(first, 'more');
    await second.waitFor('Answer to more.', PATIENCE);
    expect(server.requests.length).toBe(2);

    // A leaves: one key takes the session, and sends with what it chose.
    first.press('ctrl+d');
    expect(await first.exit).toMatchObject({ code: 0 });
    await second.waitFor('The session is free', PATIENCE);
    second.press('enter');
    await second.waitFor('Answer to not yours.', PATIENCE);
    await second.waitFor((screen) => !screen.text().includes('read only'), PATIENCE);
    expect(second.screen.text()).toMatch(CHOSEN);
    const [, , third] = sent();
    expect(sent()).toEqual([third, third, third]);
    expect(JSON.stringify(third)).toContain(TWO);

    // A comes back: refused with a reason, its text kept.
    const again = stage.start(user, { ...SIZE, args: ['--session', 'last'] });
    await again.waitFor('read only', PATIENCE);
    await say(again, 'late');
    await again.waitFor(/Not sent\. Another window controls this session\./, PATIENCE);
    expect(draftOf(again)[0]).toBe('late');
    expect(server.requests.length).toBe(3);

    // Another model goes with a level of its own; one that it lacks is not offered, and trying changes nothing.
    await choose(second, 'alt+m', 'sonnet 4.5', /› .*Sonnet 4\.5/);
    await second.waitFor(new RegExp(ONE), PATIENCE);
    await second.waitForQuiet(200);
    const header = second.screen.rows()[0];
    expect(header).not.toMatch(/high|max/);
    second.press('alt+t');
    await second.waitFor(/› .*default/, PATIENCE);
    expect(second.screen.text()).not.toMatch(/^ +max\b/m);
    await second.type('max');
    await second.waitFor(/Thinking: max/, PATIENCE);
    second.press('enter');
    await second.waitForQuiet(300);
    second.press('escape');
    await second.waitFor((screen) => !screen.text().includes('Thinking:'), PATIENCE);
    expect(second.screen.rows()[0]).toBe(header);
    await say(second, 'last');
    await second.waitFor('Answer to last.', PATIENCE);
    expect(JSON.stringify(sent().at(-1))).toContain(ONE);
    expect(sent().at(-1)).not.toEqual(third);

    // The defaults are as they were.
    expect(readFileSync(user.settingsFile, 'utf8')).toBe(before);
  });
});

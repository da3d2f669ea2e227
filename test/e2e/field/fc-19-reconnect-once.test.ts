/** A reconnect shows each thing once. The store's part is checked in test/store/recovery.test.ts, the link's in test/client/link.test.ts. */
import { describe, expect, it, vi } from 'vitest';
import {
  bare,
  draftOf,
  FIELD_TIMEOUT,
  FieldStage,
  isUnlinked,
  PATIENCE,
  say,
} from '../../support/field-stage.ts';
import type { PtyProgram } from '../../support/pty.ts';
import {
  type Answer,
  ended,
  message,
  STAGED_SESSION,
  type StagedService,
} from '../../support/staged-service.ts';
import { objectOf } from '../../support/traces.ts';

const stage = new FieldStage();

const FILLER = Array.from({ length: 12 }, (_, index) => [
  message('user', `filler question ${index}`),
  message('assistant', `filler answer ${index}`),
  ended(),
]).flat();
/** Events 1 to 6; the seventh is said on the way. */
const PAST = [
  ...FILLER,
  message('user', 'event 1'),
  message('assistant', 'event 2'),
  ended(),
  message('user', 'event 3'),
  message('assistant', 'event 4'),
  ended(),
  message('user', 'event 5'),
  message('assistant', 'event 6'),
  ended(),
];
const TOP = 2;
const AWAY_MS = 2_000;
/** For what no screen shows. */
const LONG = { timeout: 30_000 };

/** What becomes of the message that is written just before the link ends. */
type Fate = 'accepted' | 'lost';

interface Scene {
  readonly service: StagedService;
  readonly program: PtyProgram;
  /** The first row of the talk. */
  readonly first: () => string;
}

/** How the service tells its history once the link is back; from the second page on it may do otherwise. */
interface Telling {
  onReplay: Answer;
}

const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

/** Seven events, a message in flight, the link gone, the reader 10 rows up with "x" in the draft. */
async function away(fate: Fate, telling: Telling): Promise<Scene> {
  const { user, service, joining } = await stage.staged({
    past: PAST,
    pageItems: 3,
    answers: {
      'session.replay': (request, peer) => telling.onReplay(request, peer),
      'turn.start': (request) => {
        if (objectOf(request.payload).prompt !== 'event 8') return 'ordinary';
        if (fate === 'accepted') service.accept(request);
        setTimeout(() => void service.hangUp(), 5);
        return 'answered';
      },
    },
  });
  const program = await stage.ready(user, {
    cols: 80,
    rows: 24,
    args: [...joining, '--session', STAGED_SESSION],
  });
  await program.waitFor('event 6', PATIENCE);
  await say(program, 'event 7');
  await program.waitFor('working', PATIENCE);
  service.finish();
  await program.waitFor('ready', PATIENCE);
  await say(program, 'event 8');
  await program.waitFor(isUnlinked, PATIENCE);
  for (let row = 0; row < 10; row += 1) program.press('shift+up');
  await program.type('x');
  await program.waitFor('› x', PATIENCE);
  await program.waitForQuiet(100);
  return { service, program, first: () => bare(program.screen.rows()[TOP]) };
}

/** All of the talk, in a window that holds it. */
async function whole(program: PtyProgram): Promise<string> {
  program.resize(80, 140);
  await program.waitFor((screen) => screen.text().includes('filler question 0'), PATIENCE);
  await program.waitForQuiet(300);
  return program.screen.text();
}

function eventsIn(text: string): string[] {
  return text.match(/event \d+/g) ?? [];
}

const events = (last: number): string[] => Array.from({ length: last }, (_, index) => `event ${index + 1}`);
const ordinary: Answer = () => 'ordinary';

describe('FC-19 a reconnect shows each thing once', FIELD_TIMEOUT, () => {
  it.each(['from where it was', 'from the beginning again'])(
    'pages of three, told %s, an event between them',
    async (from) => {
      const telling: Telling = { onReplay: ordinary };
      const { service, program, first } = await away('accepted', telling);
      const before = first();
      // While the link was gone the message was answered, and somebody else asks something.
      service.delta('event 9');
      service.finish();
      service.past.push(message('user', 'event 10'));
      service.beginTurn('event 10', 'an-operation-of-somebody-else');
      let pages = 0;
      telling.onReplay = (request, peer) => {
        pages += 1;
        if (pages === 1 && from === 'from the beginning again') {
          const page = {
            ...service.pageAfter(null),
            events: [],
            next_cursor: 'c0',
            resync_required: true,
            truncated: false,
          };
          peer.answer(request, page);
          return 'answered';
        }
        if (pages === 2) service.delta('event 11');
        return 'ordinary';
      };
      await pause(AWAY_MS);
      await program.type('y');
      await program.waitFor('› xy', PATIENCE);
      await service.listen();
      await vi.waitFor(() => expect(pages).toBeGreaterThan(1), LONG);
      await program.waitFor((screen) => /working/.test(screen.text()) && !isUnlinked(screen), PATIENCE);
      await program.waitForQuiet(400);
      expect(first()).toBe(before);
      expect(draftOf(program)[0]).toBe('xy');
      const text = await whole(program);
      expect(eventsIn(text)).toEqual(events(11));
      expect(service.asked('turn.start').length).toBe(2);
      service.finish();
    },
  );

  it('a message that did not arrive is shown once, back in the draft with a key to send it', async () => {
    const { service, program, first } = await away('lost', { onReplay: ordinary });
    const before = first();
    await pause(AWAY_MS);
    await service.listen();
    await program.waitFor('did not arrive. Enter sends it again.', PATIENCE);
    await program.waitForQuiet(300);
    expect(first()).toBe(before);
    expect(draftOf(program).slice(0, 2)).toEqual(['event 8', 'x']);
    expect(eventsIn(await whole(program))).toEqual(events(8));
    expect(service.asked('turn.start').length).toBe(2);
  });

  it('a replay that fails half-way keeps what was shown and is tried again with growing pauses', async () => {
    const telling: Telling = { onReplay: ordinary };
    const { service, program, first } = await away('accepted', telling);
    const before = first();
    service.delta('event 9');
    service.finish();
    service.past.push(message('user', 'event 10'), message('assistant', 'event 11'), ended());
    const tries: number[] = [];
    let isFirstPage = true;
    telling.onReplay = (request, peer) => {
      if (isFirstPage) {
        isFirstPage = false;
        tries.push(performance.now());
        return 'ordinary';
      }
      isFirstPage = true;
      if (tries.length > 3) return 'ordinary';
      peer.refuse(request, 'session_unavailable');
      return 'answered';
    };
    await service.listen();
    await vi.waitFor(() => expect(tries.length).toBe(2), LONG);
    expect(first()).toBe(before);
    expect(draftOf(program)[0]).toBe('x');
    await program.type('z');
    await program.waitFor('› xz', PATIENCE);
    await vi.waitFor(() => expect(tries.length).toBe(4), LONG);
    await program.waitForQuiet(400);
    const [one = 0, two = 0, three = 0, four = 0] = tries;
    expect(two - one).toBeGreaterThan(400);
    expect(three - two).toBeGreaterThan(900);
    expect(four - three).toBeGreaterThan(1_900);
    expect(first()).toBe(before);
    expect(eventsIn(await whole(program))).toEqual(events(11));
  });

  it('older events that are gone are marked in the talk', async () => {
    const telling: Telling = { onReplay: ordinary };
    const { service, program, first } = await away('accepted', telling);
    const before = first();
    service.delta('event 9');
    service.finish();
    service.past.push(message('user', 'event 10'), message('assistant', 'event 11'), ended());
    telling.onReplay = (request, peer) => {
      peer.answer(request, { ...service.pageAfter(objectOf(request.payload).after ?? null), gap: true });
      return 'answered';
    };
    await service.listen();
    await program.waitFor((screen) => /ready/.test(screen.text()) && !isUnlinked(screen), PATIENCE);
    await program.waitForQuiet(400);
    expect(first()).toBe(before);
    expect(draftOf(program)[0]).toBe('x');
    const text = await whole(program);
    expect(eventsIn(text)).toEqual(events(11));
    expect(text).toMatch(/^▒/m);
  });
});

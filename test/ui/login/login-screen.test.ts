/** The screen of signing in: what it says, what it offers, and that all of it can be reached in a small window. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rowText } from '../../../src/render/row.ts';
import { beginSignIn, type SignInEnd, type SignInState } from '../../../src/store/sign-in.ts';
import { endWords, startsAgain } from '../../../src/store/sign-in-words.ts';
import { INITIAL, type State } from '../../../src/store/state.ts';
import { openLogin, typeAnswer } from '../../../src/ui/commands/login.ts';
import { type Size, SMALLEST } from '../../../src/ui/frame.ts';
import { answerWords } from '../../../src/ui/login/answer-words.ts';
import { INITIAL_LOGIN, type LoginView } from '../../../src/ui/login/login-view.ts';
import { keyWords } from '../../../src/ui/login/provider-rows.ts';
import { loginFrame } from '../../../src/ui/screens/login.ts';
import { initialView } from '../../../src/ui/view.ts';
import type { LoginTerminal, ProviderAuth } from '../../../src/wire/auth.ts';
import type { ConfigProjection } from '../../../src/wire/config.ts';
import { DeskScene } from '../reading/desk.ts';

const URL_SHOWN = `http://127.0.0.1:1/authorize?${'made-up-'.repeat(50)}end`;
const WAITING: SignInState = { ...beginSignIn('openai-codex'), stage: 'waiting', url: URL_SHOWN };
const TAKEN = 'Port 1455 of this machine is taken, so the browser cannot come back by itself: paste it here.';

function key(change: Partial<ProviderAuth> = {}): ProviderAuth {
  return {
    provider_id: 'vendor',
    auth_method: 'api_key',
    source: 'none',
    readiness: 'missing',
    ready: false,
    ...change,
  };
}

interface Shown {
  readonly size?: Size;
  readonly login?: Partial<LoginView>;
  readonly noBrowser?: 'remote' | null;
  readonly hint?: string;
}

function shown(
  change: Partial<State>,
  { hint, login, noBrowser = null, size = { columns: 80, rows: 24 } }: Shown = {},
) {
  const view = {
    ...initialView(size, 0),
    screen: 'login' as const,
    login: { ...INITIAL_LOGIN, ...login },
    hint: hint === undefined ? null : { text: hint, until: 10 },
  };
  return loginFrame({ state: { ...INITIAL, ...change }, view, noBrowser, monotonic: 5 });
}

function texts(...input: Parameters<typeof shown>): string[] {
  return shown(...input).rows.map((row) => rowText(row).trimEnd());
}

const ended = (state: LoginTerminal['state']): SignInState => ({
  ...WAITING,
  url: null,
  end: { kind: 'terminal', state },
});

describe('the words about keys', () => {
  const env = { source: 'environment' } as const;

  it('believe in a key of the environment only where somebody is ready', () => {
    expect(keyWords(key(env), true)).toMatch(/^Press s to save a key: .* Or set VENDOR_API_KEY/);
    expect(keyWords(key({ ...env, readiness: 'ready', ready: true }), true)).toMatch(
      /^Its key comes from VENDOR_API_KEY .* Press s to save one for when it is not set\.$/,
    );
    expect(keyWords(key({ source: 'shared_store', readiness: 'ready', ready: true }), true)).toContain(
      'Press s to save another key',
    );
  });

  it('name no key of this program where the service keeps its keys itself', () => {
    for (const auth of [key(), key(env), key({ ...env, readiness: 'ready', ready: true })])
      expect(keyWords(auth, false)).toContain('save one with its own program');
    for (const auth of [key(), key(env)]) expect(keyWords(auth, false)).not.toContain('Press');
  });

  it('and every provider says whole how it is, in every window', () => {
    const providers = [key(), key({ provider_id: 'a-longer-one', auth_method: 'oauth' })];
    for (let columns = SMALLEST.columns; columns < 60; columns += 1) {
      const rows = texts({ providers }, { size: { columns, rows: 12 }, login: { selected: 1 } });
      expect(rows.join('\n')).toMatch(/vendor\s+no key\n +› a-longer-one\s+not signed in\n/);
      expect(rows.at(-1)).toMatch(/( refresh| sign in)$/);
    }
  });

  it('and the footer offers what works with the chosen provider', () => {
    const providers = [key(), key({ provider_id: 'codex', auth_method: 'oauth', source: 'shared_store' })];
    const foot = (login: Partial<LoginView>) => texts({ providers }, { login }).at(-1);
    expect(foot({ savesKeys: true })).toBe(' Esc back  Enter how to  s save a key  r refresh');
    expect(foot({})).toBe(' Esc back  Enter how to  r refresh');
    expect(foot({ aim: 'codex' })).toBe(' Esc back  Enter sign in  x sign out  r refresh');
  });
});

describe('a sign-in that runs', () => {
  it('offers only what does something, the way out first', () => {
    const foot = (change: Partial<SignInState>) => texts({ signIn: { ...WAITING, ...change } }).at(-1);
    expect(foot({})).toBe(' Esc cancel  o open here  c copy  q QR code  p print  Tab type the answer');
    expect(foot({ pasted: 'taken' })).toBe(' Esc cancel  o open here  c copy  q QR code  p print');
    for (const stage of ['callback_received', 'callback_accepted'] as const)
      expect(foot({ stage })).toBe(' Esc cancel');
    expect(foot({ stage: 'callback_accepted', cancelling: true })).toBe('');
  });

  it('cuts no word of the keys, however narrow it is', () => {
    const hints = [
      'Esc cancel',
      'o open here',
      'c copy',
      'q QR code',
      'p print',
      'Tab type the answer',
      '↓ more',
    ];
    for (let columns = SMALLEST.columns; columns < 90; columns += 1) {
      const foot = texts({ signIn: WAITING }, { size: { columns, rows: 12 } }).at(-1) ?? '';
      expect(foot).toMatch(/^ Esc cancel/);
      expect(
        foot
          .trim()
          .split(/ {2,}/)
          .filter((part) => !hints.includes(part)),
      ).toEqual([]);
    }
  });

  it('keeps every row within reach of the keys, and says when there is more below', () => {
    for (const size of [{ columns: 40, rows: 12 }, SMALLEST]) {
      const scene = new DeskScene([], size);
      scene.update((state) => ({ ...state, signIn: { ...WAITING, note: 'The last words.' } }));
      openLogin(scene.desk);
      const frame = () =>
        texts({ signIn: scene.desk.store.getState().signIn }, { size, login: scene.view.login });
      const seen: string[] = [];
      let steps = 0;
      for (; frame().at(-1)?.endsWith('↓ more') === true; steps += 1) {
        seen.push(...frame());
        scene.press('down');
      }
      expect(steps).toBeGreaterThan(3);
      expect([...seen, ...frame()].join('\n')).toContain('paste');
      expect(frame().join(' ').replaceAll(/\s+/g, ' ')).toContain('last words.');
      scene.press('pageup', 'pageup', 'pageup', 'pageup', 'pageup', 'pageup', 'pageup', 'pageup');
      expect(frame().join('\n')).toContain('started');
    }
  });

  it('fits every window, with the caret in it where one types', () => {
    const sizes = fc.record({
      columns: fc.integer({ min: SMALLEST.columns, max: 200 }),
      rows: fc.integer({ min: SMALLEST.rows, max: 60 }),
    });
    const notes = fc.constantFrom('', TAKEN, 'x'.repeat(300));
    const letters = fc.nat(5000).map((count) => ({ text: 'k'.repeat(count), caret: count }));
    const focus = fc.constantFrom<LoginView['focus']>('field', 'keys');
    fc.assert(
      fc.property(sizes, notes, letters, focus, fc.boolean(), (size, note, field, focus, says) => {
        const hint = says ? { hint: 'word '.repeat(40) } : {};
        const login = { focus, field: { ...INITIAL_LOGIN.field, ...field } };
        const frame = shown({ signIn: { ...WAITING, note } }, { size, login, noBrowser: 'remote', ...hint });
        expect(frame.rows.length).toBe(size.rows);
        for (const row of frame.rows) expect(row.width).toBeLessThanOrEqual(size.columns);
        expect(frame.cursor !== null).toBe(focus === 'field');
        if (frame.cursor !== null) {
          expect(frame.cursor.x).toBeLessThan(size.columns);
          expect(rowText(frame.rows[frame.cursor.y] ?? { spans: [], width: 0 })).toContain('›');
        }
      }),
    );
  });
});

describe('another machine than the browser', () => {
  const FORWARD = 'ssh -L 1455:localhost:1455 you@host';
  const remote = (size: Size, note = '') =>
    texts({ signIn: { ...WAITING, note } }, { size, noBrowser: 'remote' });

  it('shows the command alone and whole', () => {
    expect(remote({ columns: 80, rows: 40 })).toContain(`   ${FORWARD}`);
    const narrow = remote({ columns: 20, rows: 90 });
    const at = narrow.indexOf(FORWARD.slice(0, 20).trimEnd());
    expect(`${narrow[at]}${narrow[at + 1]}`).toBe(FORWARD);
  });

  it('is not told to forward a port that is taken', () => {
    const text = remote({ columns: 80, rows: 40 }, TAKEN).join(' ').replaceAll(/\s+/g, ' ');
    expect(text).not.toContain('orward');
    expect(text).toContain('cannot come back by itself: paste it here.');
  });
});

describe('what is pasted', () => {
  function field() {
    const scene = new DeskScene([]);
    scene.update((state) => ({ ...state, signIn: WAITING }));
    openLogin(scene.desk);
    const row = () =>
      texts({ signIn: WAITING }, { login: scene.view.login }).find((text) => text.includes('•'));
    return { scene, row, text: () => scene.view.login.field.text };
  }

  it('takes the place of what was pasted before, until something is typed', () => {
    const { scene, text } = field();
    typeAnswer(scene.desk, 'one', 'pasted');
    typeAnswer(scene.desk, ' tw o\n', 'pasted');
    expect(text()).toBe('two');
    typeAnswer(scene.desk, '!', 'typed');
    typeAnswer(scene.desk, 'three', 'pasted');
    typeAnswer(scene.desk, 'four', 'pasted');
    expect(text()).toBe('two!threefour');
    scene.run('login-field.clear');
    typeAnswer(scene.desk, 'five', 'pasted');
    typeAnswer(scene.desk, 'six', 'pasted');
    expect(text()).toBe('six');
  });

  it('is told by its length, and never itself', () => {
    const { row, scene } = field();
    typeAnswer(scene.desk, 'k'.repeat(38), 'pasted');
    expect(row()).toMatch(/^ {3}› •{24} {2}38 characters$/);
    scene.run('login-field.clear');
    typeAnswer(scene.desk, 'k', 'typed');
    expect(row()).toMatch(/› • {2}1 character$/);
  });

  it('goes nowhere while the code is exchanged', () => {
    const { scene, text } = field();
    scene.update((state) => ({ ...state, signIn: { ...WAITING, stage: 'callback_accepted' } }));
    typeAnswer(scene.desk, 'late', 'pasted');
    scene.press('tab', 'c');
    expect([text(), scene.view.login.focus, scene.copied]).toEqual(['', 'keys', []]);
  });
});

describe('the end', () => {
  it('of a sign-in that failed names the key that starts again', () => {
    expect(texts({ signIn: ended('callback_timeout') }).at(-1)).toBe(' Enter sign in again  Esc back');
    expect(texts({ signIn: ended('auth_changed') }).at(-1)).toBe(' Enter who can answer  Esc back');
    const begun: string[] = [];
    const scene = new DeskScene([]);
    const signing = { ...scene.desk.conversation.signing, begin: async (id: string) => void begun.push(id) };
    Object.assign(scene.desk.conversation, { signing });
    openLogin(scene.desk);
    scene.update((state) => ({ ...state, signIn: ended('cancelled') }));
    scene.press('enter');
    scene.update((state) => ({ ...state, signIn: ended('exchange_succeeded') }));
    scene.press('enter');
    expect([begun, scene.view.login.aim]).toEqual([['openai-codex'], 'openai-codex']);
  });

  it('names both causes of a failed exchange, and what to do about each', () => {
    const end: SignInEnd = { kind: 'terminal', state: 'exchange_failed' };
    expect(endWords(end).sentence).toMatch(/not the code of this link.*not reached/);
    expect(endWords(end).next).toMatch(/network.*start again.*whole/);
    expect(startsAgain(end)).toBe(true);
    expect(startsAgain({ kind: 'looked-up', found: 'signed-in' })).toBe(false);
  });

  it('says what answers now, and promises nothing else', () => {
    const config = (provider_id: string) =>
      ({ selection: { provider_id, model_id: 'm' } }) as ConfigProjection;
    const words = (provider: string, session: string | null = null) => {
      const selection = session === null ? null : { provider_id: session, model_id: 's' };
      const choices = { ...INITIAL.choices, selection };
      return answerWords({ ...INITIAL, config: config(provider), choices }, 'openai-codex');
    };
    expect(words('openai-codex')).toBe('From now on: openai-codex/m.');
    expect(words('demo')).toBe('The settings still say demo/m: F12 chooses.');
    expect(words('openai-codex', 'demo')).toBe(
      'From now on: openai-codex/m; this session works with demo/s: Alt+M chooses.',
    );
    expect(words('demo', 'openai-codex')).toContain('This session works with openai-codex/s');
    expect(answerWords(INITIAL, 'openai-codex')).toBe('');
    const done = { signIn: ended('exchange_succeeded'), config: config('demo') };
    expect(texts(done).join('\n')).toContain('The settings still say demo/m');
  });
});

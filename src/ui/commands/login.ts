/** What the keys of the sign-in screen do. */
import { printAside } from '../../platform/aside.ts';
import { openInBrowser, whyNoBrowser } from '../../platform/browser.ts';
import type { SignInEnd } from '../../store/sign-in.ts';
import { startsAgain } from '../../store/sign-in-words.ts';
import { deleteBack, EMPTY_BUFFER, insert, type TextBuffer } from '../composer/text-buffer.ts';
import type { Desk, Handler } from '../desk.ts';
import type { CommandId } from '../keys/bindings.ts';
import { printable } from '../login/link-rows.ts';
import {
  INITIAL_LOGIN,
  type LoginView,
  selectedAt,
  selectedProvider,
  unfitAnswer,
} from '../login/login-view.ts';
import { keyWords } from '../login/provider-rows.ts';
import { qrRows } from '../login/qr-rows.ts';
import { linkOf } from '../login/sign-in-rows.ts';
import { loginPlace } from '../screens/login.ts';
import { copyText } from './copy.ts';
import { movedEntry } from './moved-entry.ts';
import { openSettings } from './settings.ts';

/** Title and keys. */
const QR_SPARE_ROWS = 4;
/** Links of attempts before may still stand on the normal screen. */
const COUNTS = 'This is the link that counts now; any other one above it is over.';

/** Opens the screen, with a provider chosen if one is named; the draft behind it stays as it is. */
export function openLogin({ conversation, saveKey, store, view }: Desk, providerId?: string): void {
  conversation.signing.forget();
  const { providers } = store.getState();
  const at = providers?.findIndex(({ provider_id }) => provider_id === providerId) ?? -1;
  view.update((seen) => {
    const from = seen.screen === 'settings' ? 'settings' : 'chat';
    const back = seen.screen === 'login' ? seen.login.back : from;
    const aim = providerId ?? null;
    const savesKeys = saveKey !== null;
    const login: LoginView = { ...INITIAL_LOGIN, back, selected: Math.max(0, at), aim, savesKeys };
    return { ...seen, screen: 'login', picker: null, login };
  });
}

/** Opens the screen and begins at once. */
export function signInTo(desk: Desk, providerId: string): void {
  openLogin(desk, providerId);
  begin(desk, providerId);
}

/** Nothing of an attempt before is shown with the new one. */
function begin(desk: Desk, providerId: string): void {
  change(desk, { ...UNTOUCHED, howTo: '' });
  void desk.conversation.signing.begin(providerId);
}

/** A sign-in that nobody has looked at or typed into yet. */
const UNTOUCHED = { focus: 'keys', field: EMPTY_BUFFER, isPasted: false, qr: null, top: null } as const;

export const runLogin: Handler = (command, desk) => {
  const { conversation, store, view } = desk;
  const { signIn } = store.getState();
  const { leaving } = view.getState().login;
  if (leaving !== null) {
    change(desk, { leaving: null });
    if (command === 'login.confirm') void conversation.signing.signOut(leaving);
    return;
  }
  switch (command) {
    case 'login.up':
    case 'login.down':
      if (signIn === null) move(command, desk);
      else scroll(command, desk);
      return;
    case 'login.page-up':
    case 'login.page-down':
      scroll(command, desk);
      return;
    case 'login.accept':
      if (signIn === null) choose(desk);
      else if (signIn.end !== null) goOn(signIn.providerId, signIn.end, desk);
      return;
    case 'login.sign-out':
      askToLeave(desk);
      return;
    case 'login.key':
      void saveKey(desk);
      return;
    case 'login.refresh':
      void conversation.signing.readProviders();
      return;
    case 'login.field':
      if (signIn !== null && linkOf(signIn) !== null && signIn.pasted === 'no')
        change(desk, { focus: 'field', qr: null, top: null });
      return;
    case 'login.back':
      leave(desk);
      return;
    default: {
      const link = signIn === null ? null : linkOf(signIn);
      if (link !== null) withLink(command, link, desk);
    }
  }
};

export const runLoginField: Handler = (command, desk) => {
  switch (command) {
    case 'login-field.submit':
      submit(desk);
      return;
    case 'login-field.leave':
      change(desk, { focus: 'keys' });
      return;
    case 'login-field.delete':
      editAnswer(desk, deleteBack);
      return;
    case 'login-field.clear':
      editAnswer(desk, () => EMPTY_BUFFER);
      return;
  }
};

/**
 * What was typed or pasted while the screen is open. A paste goes to the field wherever the keys go, and takes the
 * place of the paste before it: nobody sees that there are two.
 */
export function typeAnswer(desk: Desk, text: string, how: 'typed' | 'pasted'): void {
  const { field, focus, isPasted } = desk.view.getState().login;
  const { signIn } = desk.store.getState();
  if (signIn === null || linkOf(signIn) === null || signIn.pasted !== 'no') return;
  if (how === 'typed' && focus !== 'field') return;
  const plain = text.replaceAll(/\s+/g, '');
  if (plain === '') return;
  const before = how === 'pasted' && isPasted ? EMPTY_BUFFER : field;
  change(desk, {
    ...UNTOUCHED,
    focus: 'field',
    field: insert(before, plain),
    isPasted: how === 'pasted' && before.text === '',
  });
}

function editAnswer(desk: Desk, edit: (field: TextBuffer) => TextBuffer): void {
  const { field } = desk.view.getState().login;
  change(desk, { field: edit(field), isPasted: false });
}

function change({ view }: Desk, part: Partial<LoginView>): void {
  view.update((seen) => ({ ...seen, login: { ...seen.login, ...part } }));
}

function move(command: CommandId, desk: Desk): void {
  const { providers } = desk.store.getState();
  const count = providers?.length ?? 0;
  const at = selectedAt(providers, desk.view.getState().login);
  const selected = movedEntry(command, { at, count, page: count });
  change(desk, { selected, aim: null, top: null, howTo: '' });
}

function scroll(command: CommandId, { store, view }: Desk): void {
  const noBrowser = whyNoBrowser(process.env, process.platform);
  const input = { state: store.getState(), view: view.getState(), noBrowser, monotonic: performance.now() };
  const { last, room, top } = loginPlace(input);
  const moved = movedEntry(command, { at: top, count: last + 1, page: room - 1 });
  view.update((seen) => ({ ...seen, login: { ...seen.login, top: moved } }));
}

/** From the end of a sign-in: again where that is the next step, else to who can answer. */
function goOn(providerId: string, end: SignInEnd, desk: Desk): void {
  if (startsAgain(end)) begin(desk, providerId);
  else {
    desk.conversation.signing.forget();
    change(desk, { ...UNTOUCHED, aim: providerId });
  }
}

function choose(desk: Desk): void {
  const { login } = desk.view.getState();
  const provider = selectedProvider(desk.store.getState().providers, login);
  if (provider === undefined) return;
  if (provider.auth_method === 'oauth') begin(desk, provider.provider_id);
  else change(desk, { howTo: keyWords(provider, login.savesKeys), top: null });
}

function askToLeave(desk: Desk): void {
  const { providers, signIn } = desk.store.getState();
  const provider = selectedProvider(providers, desk.view.getState().login);
  if (signIn !== null || provider === undefined) return;
  if (provider.source === 'shared_store') change(desk, { leaving: provider.provider_id, howTo: '' });
  else change(desk, { howTo: 'Nothing of it is stored here: there is nothing to sign out of.' });
}

/** The key is read outside of the screen, by a command that writes the service's own store. */
async function saveKey(desk: Desk): Promise<void> {
  const { providers, signIn } = desk.store.getState();
  const provider = selectedProvider(providers, desk.view.getState().login);
  if (signIn !== null || provider === undefined) return;
  if (provider.auth_method !== 'api_key') {
    change(desk, { howTo: 'It takes no key.' });
    return;
  }
  const { saveKey: save } = desk;
  if (save === null) {
    change(desk, { howTo: keyWords(provider, false) });
    return;
  }
  await desk.lend((signal) => save(provider.provider_id, signal));
  await desk.conversation.signing.readProviders();
}

function leave(desk: Desk): void {
  const { signing } = desk.conversation;
  const { signIn } = desk.store.getState();
  if (signIn === null || signIn.end !== null) {
    signing.forget();
    const { back } = desk.view.getState().login;
    if (back === 'settings') openSettings(desk);
    else desk.view.update((seen) => ({ ...seen, screen: 'chat' }));
    desk.view.update((seen) => ({ ...seen, login: INITIAL_LOGIN }));
  } else void signing.cancel();
}

function submit(desk: Desk): void {
  const { text } = desk.view.getState().login.field;
  const unfit = unfitAnswer(text);
  if (unfit !== null) {
    desk.say(unfit);
    return;
  }
  change(desk, UNTOUCHED);
  void desk.conversation.signing.submit(text);
}

function withLink(command: string, url: string, desk: Desk): void {
  switch (command) {
    case 'login.open':
      void open(url, desk);
      return;
    case 'login.copy':
      copyText(desk, printable(url), 'the link');
      return;
    case 'login.qr':
      void toggleCode(url, desk);
      return;
    case 'login.print':
      void desk.lend((signal) => printAside(COUNTS, printable(url), signal));
      return;
  }
}

async function open(url: string, desk: Desk): Promise<void> {
  const why = whyNoBrowser(process.env, process.platform);
  if (why === 'remote') desk.say('A browser opened here would not be on your screen: copy the link instead.');
  else if (why === 'no-display') desk.say('There is no display here: open the link on another machine.');
  else if ((await openInBrowser(printable(url))) === 'asked')
    desk.say('The system was asked to open the link.');
  else desk.say('No browser could be opened: open the link by hand.');
}

async function toggleCode(url: string, desk: Desk): Promise<void> {
  if (desk.view.getState().login.qr !== null) {
    change(desk, { qr: null });
    return;
  }
  const { qrSquares } = await import('../login/qr-code.ts');
  const rows = qrRows(qrSquares(printable(url)));
  const { columns, rows: height } = desk.view.getState().size;
  const width = rows[0]?.width ?? 0;
  if (width > columns || rows.length > height - QR_SPARE_ROWS)
    desk.say(
      `The code needs a window of ${width} × ${rows.length + QR_SPARE_ROWS}: this one is ${columns} × ${height}.`,
    );
  else change(desk, { qr: rows, top: null });
}

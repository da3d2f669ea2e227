/** What the keys of the sign-in screen do. */
import { printAside } from '../../platform/aside.ts';
import { openInBrowser, whyNoBrowser } from '../../platform/browser.ts';
import { deleteBack, EMPTY_BUFFER, insert, type TextBuffer } from '../composer/text-buffer.ts';
import type { Desk, Handler } from '../desk.ts';
import { printable } from '../login/link-rows.ts';
import { INITIAL_LOGIN, type LoginView, unfitAnswer } from '../login/login-view.ts';
import { keyWords } from '../login/provider-rows.ts';
import { qrRows } from '../login/qr-rows.ts';
import { copyText } from './copy.ts';
import { openSettings } from './settings.ts';

/** Title and keys. */
const QR_SPARE_ROWS = 4;

/** Opens the screen, with a provider chosen if one is named; the draft behind it stays as it is. */
export function openLogin({ conversation, store, view }: Desk, providerId?: string): void {
  conversation.signing.forget();
  const { providers } = store.getState();
  const at = providers?.findIndex(({ provider_id }) => provider_id === providerId) ?? -1;
  view.update((seen) => {
    const from = seen.screen === 'settings' ? 'settings' : 'chat';
    const back = seen.screen === 'login' ? seen.login.back : from;
    const login: LoginView = { ...INITIAL_LOGIN, back, selected: Math.max(0, at) };
    return { ...seen, screen: 'login', picker: null, login };
  });
}

/** Opens the screen and begins at once. */
export function signInTo(desk: Desk, providerId: string): void {
  openLogin(desk);
  void desk.conversation.signing.begin(providerId);
}

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
      move(desk, -1);
      return;
    case 'login.down':
      move(desk, 1);
      return;
    case 'login.accept':
      if (signIn === null) choose(desk);
      else if (signIn.end !== null) conversation.signing.forget();
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
      if (signIn?.url != null && signIn.pasted === 'no') change(desk, { focus: 'field' });
      return;
    case 'login.back':
      leave(desk);
      return;
    default:
      if (signIn?.url != null) withLink(command, signIn.url, desk);
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

/** What was typed or pasted while the screen is open. A paste goes to the field wherever the keys go. */
export function typeAnswer(desk: Desk, text: string, how: 'typed' | 'pasted'): void {
  const { focus } = desk.view.getState().login;
  const { signIn } = desk.store.getState();
  if (signIn?.url == null || signIn.pasted !== 'no' || (how === 'typed' && focus !== 'field')) return;
  change(desk, { focus: 'field' });
  editAnswer(desk, (field) => insert(field, text.replaceAll(/\s+/g, '')));
}

function editAnswer(desk: Desk, edit: (field: TextBuffer) => TextBuffer): void {
  desk.view.update((seen) => ({ ...seen, login: { ...seen.login, field: edit(seen.login.field) } }));
}

function change({ view }: Desk, part: Partial<LoginView>): void {
  view.update((seen) => ({ ...seen, login: { ...seen.login, ...part } }));
}

function move(desk: Desk, by: number): void {
  const last = (desk.store.getState().providers?.length ?? 0) - 1;
  const { selected } = desk.view.getState().login;
  change(desk, { selected: Math.max(0, Math.min(last, selected + by)), howTo: '' });
}

function choose(desk: Desk): void {
  const { providers } = desk.store.getState();
  const provider = providers?.[desk.view.getState().login.selected];
  if (provider === undefined) return;
  if (provider.auth_method === 'oauth') void desk.conversation.signing.begin(provider.provider_id);
  else change(desk, { howTo: keyWords(provider) });
}

function askToLeave(desk: Desk): void {
  const { providers, signIn } = desk.store.getState();
  const provider = providers?.[desk.view.getState().login.selected];
  if (signIn !== null || provider === undefined) return;
  if (provider.source === 'shared_store') change(desk, { leaving: provider.provider_id, howTo: '' });
  else change(desk, { howTo: 'Nothing of it is stored here: there is nothing to sign out of.' });
}

/** The key is read outside of the screen, by a command that writes the service's own store. */
async function saveKey(desk: Desk): Promise<void> {
  const { providers, signIn } = desk.store.getState();
  const provider = providers?.[desk.view.getState().login.selected];
  if (signIn !== null || provider === undefined) return;
  if (provider.auth_method !== 'api_key') {
    change(desk, { howTo: 'It takes no key.' });
    return;
  }
  const { saveKey: save } = desk;
  if (save === null) {
    change(desk, { howTo: 'This service keeps its keys itself: save one with its own program.' });
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
  change(desk, { field: EMPTY_BUFFER, focus: 'keys' });
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
      void desk.lend((signal) => printAside(printable(url), signal));
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
  else change(desk, { qr: rows });
}

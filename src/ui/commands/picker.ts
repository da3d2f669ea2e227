/** Choosing what a session works with: opening the lists, what their keys do, and what each typed character does. */
import { released } from '../activity/activity-view.ts';
import { bufferOf, type TextBuffer } from '../composer/text-buffer.ts';
import type { Desk, Handler } from '../desk.ts';
import type { CommandId } from '../keys/bindings.ts';
import { nowInForce, offersOf } from '../pickers/offers.ts';
import {
  chosenOffer,
  matching,
  type Offer,
  type Picker,
  type PickerKind,
  pickerOf,
} from '../pickers/picker.ts';
import { nextMode } from '../pickers/words.ts';
import { EDITS } from './draft-edits.ts';
import { openLogin } from './login.ts';
import { movedEntry } from './moved-entry.ts';

/** Opens a list over the chat; who could answer is read anew. */
export function openPicker(desk: Desk, kind: PickerKind): void {
  const { conversation, store, view } = desk;
  const { setup, telling } = store.getState();
  if (setup !== null) return;
  if (kind === 'permission' && telling !== 'envelopes') {
    desk.say('This service has no permission modes: its settings decide what runs.');
    return;
  }
  view.update((seen) => ({
    ...seen,
    screen: 'chat',
    help: null,
    browse: null,
    search: null,
    historySearch: null,
    detail: null,
    activity: released(seen.activity),
    picker: pickerOf(kind),
  }));
  if (kind === 'model' || kind === 'thinking') void conversation.catalog.read();
}

/** The next permission mode, without a list. */
export function nextPermission(desk: Desk): void {
  const state = desk.store.getState();
  if (state.setup !== null) return;
  if (state.telling !== 'envelopes')
    desk.say('This service has no permission modes: its settings decide what runs.');
  else desk.conversation.change({ permission_mode: nextMode(nowInForce(state).permissionMode) });
}

export const runPicker: Handler = (command, desk) => {
  switch (command) {
    case 'picker.accept':
      accept(desk);
      return;
    case 'picker.close':
      close(desk);
      return;
    default: {
      const { picker } = desk.view.getState();
      if (picker === null) return;
      const offers = shownOffers(desk, picker);
      const at = chosenOffer(offers, picker);
      const place = movedEntry(command, { at, count: offers.length, page: 8 });
      choose(desk, offers[place]?.key ?? null);
    }
  }
};

/** Edits the field with a writing key; those that do not edit a line do nothing here. */
export function runPickerField(desk: Desk, command: CommandId): void {
  const edit = command === 'composer.newline' ? undefined : EDITS[command];
  if (edit !== undefined) editPicker(desk, edit);
}

/** Changes what the offers are narrowed by; the best of them is chosen. */
export function editPicker({ view }: Desk, change: (field: TextBuffer) => TextBuffer): void {
  view.update((seen) => {
    if (seen.picker === null) return seen;
    const changed = change(seen.picker.field);
    const field = /[\n\t]/.test(changed.text) ? bufferOf(changed.text.replaceAll(/\s+/g, ' ')) : changed;
    const isSame = field.text === seen.picker.field.text;
    return { ...seen, picker: { ...seen.picker, field, selected: isSame ? seen.picker.selected : null } };
  });
}

function shownOffers({ store }: Desk, picker: Picker): readonly Offer[] {
  return matching(offersOf(picker, store.getState()), picker.field.text);
}

function choose({ view }: Desk, selected: string | null): void {
  view.update((seen) => (seen.picker === null ? seen : { ...seen, picker: { ...seen.picker, selected } }));
}

function close({ view }: Desk): void {
  view.update((seen) => ({ ...seen, picker: null }));
}

function accept(desk: Desk): void {
  const { conversation, view } = desk;
  const { picker } = view.getState();
  if (picker === null) return;
  const offers = shownOffers(desk, picker);
  const offer = offers[chosenOffer(offers, picker)];
  if (offer === undefined) return;
  if (offer.reason !== '') {
    desk.say(`${offer.label}: ${offer.reason}.`);
    return;
  }
  switch (offer.does.kind) {
    case 'change':
      close(desk);
      conversation.change(offer.does.change);
      return;
    case 'refresh':
      void conversation.catalog.refresh(offer.does.providerId);
      return;
    case 'open':
      openPicker(desk, offer.does.picker);
      return;
    case 'save':
      close(desk);
      void conversation.settings.save(view.getState().settings.scope, offer.does.change);
      return;
    case 'models': {
      const picker = pickerOf('saved-model', offer.does.providerId);
      view.update((seen) => ({ ...seen, picker }));
      return;
    }
    case 'sign-in':
      openLogin(desk, offer.does.providerId);
      return;
  }
}

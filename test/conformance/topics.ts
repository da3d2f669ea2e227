/** The whole table. */
import type { Topic } from './suite.ts';
import { ENVELOPES } from './table/envelopes.ts';
import { FENCES } from './table/fences.ts';
import { HANDSHAKE } from './table/handshake.ts';
import { INITIALIZATION } from './table/initialize.ts';
import { LINES } from './table/lines.ts';
import { DEADLINES, LOAD } from './table/load.ts';
import { ON_PURPOSE } from './table/on-purpose.ts';
import { OPERATION_IDS } from './table/operations.ts';
import { OTHER_FORMS } from './table/other-forms.ts';
import { PROMPTS } from './table/prompts.ts';
import { REPLAYS } from './table/replays.ts';
import { SESSIONS } from './table/sessions.ts';
import { SETTINGS } from './table/settings.ts';
import { SIGN_INS } from './table/sign-ins.ts';
import { SIGN_OUTS } from './table/sign-outs.ts';
import { SLOT_RULES } from './table/slots.ts';
import { TURNS } from './table/turns.ts';

/** What a record is, and whether it is taken. */
export const RECORDS: readonly Topic[] = [
  { name: 'deadlines', scripts: DEADLINES, sideBySide: true },
  { name: 'handshake', scripts: HANDSHAKE },
  { name: 'initialize', scripts: INITIALIZATION },
  { name: 'envelopes', scripts: ENVELOPES },
  { name: 'lines', scripts: LINES },
  { name: 'slots', scripts: SLOT_RULES },
  { name: 'fences', scripts: FENCES },
  { name: 'other forms', scripts: OTHER_FORMS },
  { name: 'load', scripts: LOAD },
];

/** What comes of it. */
export const CONVERSATIONS: readonly Topic[] = [
  { name: 'sessions', scripts: SESSIONS },
  { name: 'replay', scripts: REPLAYS },
  { name: 'prompts', scripts: PROMPTS },
  { name: 'turns', scripts: TURNS },
  { name: 'operations', scripts: OPERATION_IDS },
  { name: 'sign-in', scripts: SIGN_INS },
  { name: 'sign-out', scripts: SIGN_OUTS },
  { name: 'settings', scripts: SETTINGS },
  { name: 'on purpose', scripts: ON_PURPOSE },
];

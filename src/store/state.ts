/** What screens see: one immutable state. */
import type { Block } from '../transcript/blocks.ts';
import type { GapMark } from '../transcript/gap-marks.ts';
import { type LiveTurn, NO_TOKENS, type Telling, type TurnTokens } from '../transcript/live-turn.ts';
import type { ProviderAuth } from '../wire/auth.ts';
import type { ConfigProjection } from '../wire/config.ts';
import { type Catalog, NO_CATALOG } from './catalog.ts';
import type { Notice } from './notice.ts';
import { NOTHING_SAVED, type SavedSettings } from './saved-settings.ts';
import { NO_CHOICES, type SessionChoices } from './session-choices.ts';
import type { SignInState } from './sign-in.ts';

/** `since`: Unix time from which on there was no link, ms. */
export type LinkState =
  | { readonly kind: 'connecting'; readonly since: number }
  | { readonly kind: 'ready' }
  /** The link ended; another try follows by itself. */
  | {
      readonly kind: 'lost';
      readonly since: number;
      readonly sentence: string;
      readonly next: string;
      readonly attempt: number;
    }
  /** No further try would help until the user acts. */
  | { readonly kind: 'refused'; readonly sentence: string; readonly next: string };

export interface ServiceState {
  readonly name: string;
  readonly version: string;
}

/** Who may write: `mine` this client, `other` somebody else, `none` nobody yet. */
export type Control = 'none' | 'mine' | 'other';

export interface SessionState {
  readonly id: string;
  readonly title: string;
  readonly control: Control;
}

/** A file that goes with a message. */
export interface AttachedFile {
  /** Absolute. */
  readonly path: string;
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  readonly kind: 'image' | 'file';
  /** A copy of ours: it goes once the service has its own. */
  readonly temporary: boolean;
}

/** A message written but not yet known to be accepted. */
export interface OutboxItem {
  readonly operationId: string;
  readonly text: string;
  /** Files that go with it. */
  readonly attachments?: readonly AttachedFile[];
  /** `queued` waits for its turn, `sent` waits for the reply, `uncertain` lost the link in between. */
  readonly state: 'queued' | 'sent' | 'uncertain';
  /** The instance that it was sent to; null while queued. */
  readonly instanceId: string | null;
  /** How many messages of people the history held when it was sent. */
  readonly after: number;
  /** ID of the last of them where envelopes tell the history: it names the place whatever part is held. */
  readonly behind?: string;
}

export interface Choice {
  readonly providerId: string;
  readonly modelId: string;
  readonly label: string;
  readonly detail: string;
  /** What to do when the choice cannot be taken yet; empty when it can. */
  readonly howTo: string;
  /** It is taken by signing in. */
  readonly signIn?: true;
}

export interface SessionRow {
  readonly id: string;
  readonly title: string;
  /** Unix time, ms. */
  readonly updatedAt: number;
  readonly where: 'here' | 'free' | 'elsewhere' | 'unknown';
  /** What it works with; absent where the service does not say. */
  readonly choices?: SessionChoices;
}

export interface SessionList {
  readonly rows: readonly SessionRow[];
  readonly loading: boolean;
  /** Some sessions could not be read or shown. */
  readonly incomplete: boolean;
  readonly failure: string;
}

/** Text for the draft: before what is there, or instead of it. */
export interface Returned {
  readonly text: string;
  readonly place: 'before' | 'instead';
  /** Files that come back with it. */
  readonly attachments: readonly AttachedFile[];
}

export type HistoryState = 'loading' | 'complete' | 'gap' | 'failed';

/**
 * What lies around the part of the history that is held.
 * `above`: `none` nothing is known to be there; `more` older messages, not read yet; `reading` they come;
 * `failed` they could not be read; `beginning` the reader has gone back to where the session begins.
 * `below`: `end` the part reaches the present; `more` newer messages were let go; `reading` they come.
 */
export interface Edges {
  readonly above: 'none' | 'more' | 'reading' | 'failed' | 'beginning';
  readonly below: 'end' | 'more' | 'reading';
  /** Messages read so far on the way to the beginning; null when nobody is on it. */
  readonly passed: number | null;
}

export const NO_EDGES: Edges = { above: 'none', below: 'end', passed: null };

export interface State {
  readonly link: LinkState;
  /** How the present service tells what happens in a turn. */
  readonly telling: Telling;
  readonly service: ServiceState | null;
  /** IDs of the connections that this window has had. */
  readonly connections: readonly string[];
  readonly config: ConfigProjection | null;
  /** Choices of the first screen; null when somebody can already answer. */
  readonly setup: readonly Choice[] | null;
  readonly session: SessionState | null;
  /** What was chosen for the open session alone. */
  readonly choices: SessionChoices;
  readonly catalog: Catalog;
  /** What became of changes to the settings. */
  readonly settings: SavedSettings;
  /** Settled blocks of the session, oldest first: of a long one, the part around the reader. */
  readonly history: readonly Block[];
  readonly historyState: HistoryState;
  readonly edges: Edges;
  readonly live: LiveTurn | null;
  /** Where something is missing or changed hands, since the session was opened here. */
  readonly marks: readonly GapMark[];
  readonly outbox: readonly OutboxItem[];
  /** Tokens of this session since it was opened here. */
  readonly totals: TurnTokens;
  readonly sessions: SessionList;
  /** Who is signed in, as last read; null before. */
  readonly providers: readonly ProviderAuth[] | null;
  /** The sign-in of this window: running, or over and not yet left. */
  readonly signIn: SignInState | null;
  readonly notice: Notice | null;
  /** What came back and was not taken yet, in its order. */
  readonly returned: readonly Returned[];
}

export const INITIAL: State = {
  link: { kind: 'connecting', since: 0 },
  telling: 'activity',
  service: null,
  connections: [],
  config: null,
  setup: null,
  session: null,
  choices: NO_CHOICES,
  catalog: NO_CATALOG,
  settings: NOTHING_SAVED,
  history: [],
  historyState: 'complete',
  edges: NO_EDGES,
  live: null,
  marks: [],
  outbox: [],
  totals: NO_TOKENS,
  sessions: { rows: [], loading: false, incomplete: false, failure: '' },
  providers: null,
  signIn: null,
  notice: null,
  returned: [],
};

/** What screens see: one immutable state. */
import type { Block } from '../transcript/blocks.ts';
import { type LiveTurn, NO_TOKENS, type Telling, type TurnTokens } from '../transcript/live-turn.ts';
import type { ConfigProjection } from '../wire/config.ts';

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

/** A message written but not yet known to be accepted. */
export interface OutboxItem {
  readonly operationId: string;
  readonly text: string;
  /** `queued` waits for its turn, `sent` waits for the reply, `uncertain` lost the link in between. */
  readonly state: 'queued' | 'sent' | 'uncertain';
  /** The instance that it was sent to; null while queued. */
  readonly instanceId: string | null;
  /** How many messages of people the history held when it was sent. */
  readonly after: number;
}

export interface Choice {
  readonly providerId: string;
  readonly modelId: string;
  readonly label: string;
  readonly detail: string;
  /** What to do when the choice cannot be taken yet; empty when it can. */
  readonly howTo: string;
}

export interface SessionRow {
  readonly id: string;
  readonly title: string;
  /** Unix time, ms. */
  readonly updatedAt: number;
  readonly where: 'here' | 'free' | 'elsewhere' | 'unknown';
}

export interface SessionList {
  readonly rows: readonly SessionRow[];
  readonly loading: boolean;
  /** Some sessions could not be read or shown. */
  readonly incomplete: boolean;
  readonly failure: string;
}

export interface Notice {
  readonly text: string;
  readonly tone: 'info' | 'warn';
}

/** Text for the draft: before what is there, or instead of it. The number grows so that each is taken once. */
export interface Returned {
  readonly serial: number;
  readonly text: string;
  readonly place: 'before' | 'instead';
}

export type HistoryState = 'loading' | 'complete' | 'gap' | 'failed';

export interface State {
  readonly link: LinkState;
  /** How the present service tells what happens in a turn. */
  readonly telling: Telling;
  readonly service: ServiceState | null;
  readonly config: ConfigProjection | null;
  /** Choices of the first screen; null when somebody can already answer. */
  readonly setup: readonly Choice[] | null;
  readonly session: SessionState | null;
  /** Settled blocks of the session, oldest first. */
  readonly history: readonly Block[];
  readonly historyState: HistoryState;
  readonly live: LiveTurn | null;
  readonly outbox: readonly OutboxItem[];
  /** Tokens of this session since it was opened here. */
  readonly totals: TurnTokens;
  readonly sessions: SessionList;
  readonly notice: Notice | null;
  readonly returned: Returned;
}

export const INITIAL: State = {
  link: { kind: 'connecting', since: 0 },
  telling: 'activity',
  service: null,
  config: null,
  setup: null,
  session: null,
  history: [],
  historyState: 'complete',
  live: null,
  outbox: [],
  totals: NO_TOKENS,
  sessions: { rows: [], loading: false, incomplete: false, failure: '' },
  notice: null,
  returned: { serial: 0, text: '', place: 'before' },
};

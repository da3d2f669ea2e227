/**
 * What a script is made of: steps over one or several connections, and what they may name.
 *
 * In records, texts and payloads a string that begins with `$` stands for a value of the run:
 * `$op.x` an operation ID of this script, `$a.instance` and `$a.connection` the identities of connection `a`,
 * `$name` what an earlier step has kept under that name.
 */
import type { Json } from '../../src/wire/json.ts';
import type { JsonObject } from '../support/traces.ts';

/** Where two services differ on purpose, in one script. */
export interface Difference {
  /** First column of the table in PROTOCOL.md, "Embedded service". */
  readonly row: string;
  /** Place in the outcome, as the comparison prints it. */
  readonly at: string;
  /** Without them only the place counts. */
  readonly real?: Json;
  readonly ours?: Json;
}

export interface Script {
  readonly name: string;
  readonly steps: readonly Step[];
  /** All of them; without this the outcomes must be equal. */
  readonly differences?: readonly Difference[];
  /** A service of its own, and not the one of the topic. */
  readonly alone?: true;
  /** What is sent out of the machine gets no answer. Only for a service of its own. */
  readonly swallowed?: true;
  /** Answers may come in any order, since workers give them. */
  readonly unordered?: boolean;
  /** All that is compared of each connection: which codes came, or how it ended. */
  readonly only?: 'codes' | 'end';
}

/** Members of a response's payload (or of `at`) to keep: name to path. */
export type Keep = Readonly<Record<string, string>>;

export type Step =
  /** Opens a socket and says nothing. */
  | { readonly do: 'connect'; readonly on: string }
  /** A good hello with these members changed; undefined takes one away. */
  | {
      readonly do: 'hello';
      readonly on: string;
      readonly changes: Readonly<Record<string, string | undefined>>;
    }
  /** A hello that is written by hand. */
  | {
      readonly do: 'hello-text';
      readonly on: string;
      readonly text: (good: Readonly<Record<string, string>>) => string;
    }
  /** Says hello and waits for `ready`; initializes too. None of it is part of the outcome. */
  | { readonly do: 'greet' | 'welcome'; readonly on: string }
  /** The same with another service that shares the state. */
  | { readonly do: 'beside'; readonly on: string }
  /** Bytes as they are; so many answers are expected to them. */
  | {
      readonly do: 'bytes';
      readonly on: string;
      readonly bytes: string | Uint8Array;
      readonly answers: number;
    }
  /** A good request with these slots changed; undefined takes one away. */
  | {
      readonly do: 'send';
      readonly on: string;
      readonly method: Json;
      readonly payload: Json;
      readonly slots: Readonly<Record<string, Json | undefined>>;
      /** Makes the line by hand. */
      readonly line?: (record: JsonObject) => string;
    }
  /** Waits until everything that was sent is answered, and keeps members of the last answer's payload. */
  | { readonly do: 'settle'; readonly on: string; readonly keep: Keep }
  /** Waits for the n-th event of that name. */
  | {
      readonly do: 'hear';
      readonly on: string;
      readonly event: string;
      readonly count: number;
      readonly keep: Keep;
    }
  /** Waits until the service ends the socket. */
  | { readonly do: 'end'; readonly on: string }
  /** Ends the socket; says nothing more; reads nothing more; reads again. */
  | { readonly do: 'close' | 'finish' | 'deaf' | 'listen'; readonly on: string }
  /** Asks again until it is not refused any more. Only the last answer is part of the outcome. */
  | {
      readonly do: 'insist';
      readonly on: string;
      readonly request: readonly Step[];
      readonly until: (answer: JsonObject) => boolean;
    }
  /** Many requests at once, in one write. */
  | {
      readonly do: 'burst';
      readonly on: string;
      readonly method: string;
      readonly count: number;
      readonly answers: number;
    }
  /** Keeps what `make` makes of a kept text. */
  | {
      readonly do: 'derive';
      readonly from: string;
      readonly name: string;
      readonly make: (text: string) => string;
    }
  /** Goes to a kept address as a browser would. The status is part of the outcome. */
  | { readonly do: 'browse'; readonly address: string }
  | { readonly do: 'pause'; readonly ms: number }
  /** Something around the service. */
  | { readonly do: 'world'; readonly act: (around: Around) => void }
  /** Something that can be seen from outside becomes part of the outcome. */
  | { readonly do: 'look'; readonly see: (around: Around) => Json };

/** What surrounds a service. */
export interface Around {
  /** Writes the settings file as it is. */
  settings(text: string): void;
  mendSettings(): void;
  /** Where commands are only run when the settings allow it: says so in them. */
  allowCommands(): void;
  /** Takes away what sessions were written to. */
  loseSessions(): void;
  /** Folder of the socket. */
  readonly directory: string;
  readonly stateRoot: string;
}

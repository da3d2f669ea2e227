/** Long sessions on disk, written by the service's own writer: a question, a tool, an answer, and so on. */
import { SessionFolder } from '../../src/service/sessions/session-folder.ts';
import { SessionWriter } from '../../src/service/sessions/session-writer.ts';
import type { Envelope, SessionEvent } from '../../src/transcript/envelope.ts';

export interface PastOptions {
  readonly stateRoot: string;
  readonly workspace: string;
  readonly sessionId: string;
  /** Of people and of the agent together: two a turn. */
  readonly messages: number;
}

const TOOL_OUTPUT = Array.from({ length: 12 }, (_, line) => `  ✓ upload retries, case ${line} (3 ms)`).join(
  '\n',
);
/** Unix time of the first message, ms. */
const BEGUN = 1_750_000_000_000;

/** Writes the session. @throws when the writer refuses */
export function writePast({ messages, sessionId, stateRoot, workspace }: PastOptions): void {
  const folder = new SessionFolder(stateRoot);
  folder.create(sessionId, workspace, BEGUN);
  const writer = SessionWriter.open(folder.path(sessionId), sessionId, BEGUN);
  if (writer === null) throw new Error('the session cannot be written');
  let serial = 0;
  const append = (role: Envelope['role'], turn: string, ev: SessionEvent): void => {
    serial += 1;
    const envelope: Envelope = {
      id: `m${serial.toString(36)}`,
      time: BEGUN + serial * 1_000,
      role,
      turn,
      ev,
    };
    if (!writer.append(envelope)) throw new Error('an envelope was not written');
  };
  for (let turn = 1; turn <= messages / 2; turn += 1) {
    const id = `t${turn.toString(36)}`;
    const call = `call-${turn}`;
    append('user', id, { t: 'text', text: questionOf(turn) });
    append('agent', id, { t: 'turn-start' });
    if (turn % 3 === 0) {
      const args = { command: `npm test -- ${turn}` };
      append('agent', id, {
        t: 'tool-call-start',
        call,
        name: 'bash',
        title: `npm test -- ${turn}`,
        description: '',
        args,
      });
      append('agent', id, { t: 'tool-call-end', call, status: 'ok', output: TOOL_OUTPUT, durationMs: 1_200 });
    }
    append('agent', id, { t: 'text', text: answerOf(turn) });
    append('agent', id, { t: 'turn-end', status: 'completed' });
  }
  writer.close();
}

/** What the last answer of a session begins with. */
export function lastWords(messages: number): string {
  return `Answer ${Math.floor(messages / 2)}:`;
}

function questionOf(turn: number): string {
  return `Question ${turn}: why does the upload fail one time in ten?`;
}

function answerOf(turn: number): string {
  return [
    `Answer ${turn}: the timer used *milliseconds* in one place and seconds in the other.`,
    `1. \`retry.ts\` line ${turn} waits too long`,
    '2. its caller gives up before that',
    `So the run number ${turn} fails when the random part is large, and passes when it is small. The change below puts both right.`,
  ].join('\n\n');
}

/**
 * What a server writes to its stderr, and what goes wrong on its connection: for the log alone.
 * Invariants: whole lines, bounded in length and in number; what the server was given is struck out.
 */
import { oneLine } from '../tools/tool.ts';

export interface ServerLog {
  /** Bytes of stderr, as they come. */
  stderr(chunk: Buffer): void;
  note(line: string): void;
}

const MAX_LINES = 200;
const MAX_LINE_BYTES = 8 * 1024;

/** @param log is given one clean line at a time */
export function createServerLog(
  name: string,
  clean: (text: string) => string,
  log: (line: string) => void,
): ServerLog {
  let lines = 0;
  let waiting = Buffer.alloc(0);
  const note = (line: string): void => {
    lines += 1;
    // Struck out before it is cut: half of a secret would not be recognised.
    if (lines <= MAX_LINES) log(`MCP server ${name}: ${oneLine(clean(line).toWellFormed())}`);
    else if (lines === MAX_LINES + 1) log(`MCP server ${name}: further lines are left out`);
  };
  return {
    note,
    stderr(chunk) {
      waiting = Buffer.concat([waiting, chunk]);
      for (let end = waiting.indexOf(0x0a); end !== -1; end = waiting.indexOf(0x0a)) {
        const line = waiting.toString('utf8', 0, Math.min(end, MAX_LINE_BYTES)).trim();
        if (line !== '') note(line);
        waiting = waiting.subarray(end + 1);
      }
      if (waiting.length <= MAX_LINE_BYTES) return;
      note(waiting.toString('utf8'));
      waiting = Buffer.alloc(0);
    },
  };
}

/**
 * The conversation as lines that are only ever added: what a screen reader can follow. Pure.
 * Invariants: each thing is said once, in order, and whole lines only; a block that comes back from the history
 * under another name is not said again; everything has passed the sanitiser.
 */
import { revealHidden, sanitise, sanitiseLine } from '../../render/sanitise.ts';
import type { State } from '../../store/state.ts';
import type { Block, ToolBlock } from '../../transcript/blocks.ts';
import type { Question } from '../../transcript/envelope-turn.ts';
import { seconds } from '../rows/format.ts';

/** Blocks at the end of the history that may be new. */
const RECENT = 200;

export class Speaker {
  /** Letters of each block that were said; a tool counts its start as one and its end as two. */
  readonly #said = new Map<string, number>();
  readonly #asked = new Set<string>();
  #before: State | null = null;
  /** The words of the answer that is said, for when it comes back under another name. */
  #answer = '';

  /** What is new since the last state, as lines. */
  hear(state: State): readonly string[] {
    const before = this.#before;
    this.#before = state;
    return [
      ...linkLines(before, state),
      ...this.#setupLines(before, state),
      ...this.#talkLines(before, state),
      ...this.#questionLines(state),
      ...noticeLines(before, state),
    ];
  }

  #setupLines(before: State | null, { setup }: State): string[] {
    if (setup === null || setup === before?.setup) return [];
    const choices = setup.map(
      ({ detail, label }, index) => `${index + 1}. ${sanitiseLine(`${label}: ${detail}`)}`,
    );
    return ['Who should answer? Type a number.', ...choices];
  }

  #talkLines(before: State | null, state: State): string[] {
    const isOther = state.session?.id !== before?.session?.id;
    const recent = state.history.slice(-RECENT);
    if (isOther) this.#forget();
    const wasReading = isOther || before?.historyState === 'loading';
    if (state.session !== null && wasReading && before?.live == null && state.live === null) {
      for (const block of recent) this.#skip(block);
      return state.historyState === 'loading' ? [] : opened(state);
    }
    const lines: string[] = [];
    const isNews = before?.live != null || state.session?.control === 'other';
    for (const block of recent) {
      if (this.#said.has(block.id) || isNews) lines.push(...this.#blockLines(block, state));
      else this.#skip(block);
    }
    if (before?.live == null && state.live !== null) {
      this.#answer = '';
      lines.push('The agent works.');
    }
    for (const block of state.live?.blocks ?? []) lines.push(...this.#blockLines(block, state));
    if (before?.live != null && state.live === null) lines.push('The turn has ended.');
    return lines;
  }

  #forget(): void {
    this.#said.clear();
    this.#answer = '';
  }

  #skip(block: Block): void {
    this.#said.set(block.id, Number.MAX_SAFE_INTEGER);
  }

  #blockLines(block: Block, state: State): string[] {
    const said = this.#said.get(block.id) ?? 0;
    switch (block.kind) {
      case 'answer':
        return this.#answerLines(block.id, block.text, block.open ? 'growing' : 'whole', said);
      case 'tool':
        return this.#toolLines(block, said);
      case 'user':
        // One's own words stand where they were typed.
        this.#skip(block);
        return said === 0 && state.session?.control === 'other' ? [`You: ${sanitise(block.text)}`] : [];
      case 'service':
        this.#skip(block);
        return said === 0 ? [sanitise(block.text)] : [];
      case 'turn-end': {
        this.#skip(block);
        const word = block.status === 'cancelled' ? 'Stopped.' : `Failed: ${sanitise(block.reason)}`;
        return said === 0 && block.status !== 'completed' ? [word] : [];
      }
      default:
        this.#skip(block);
        return [];
    }
  }

  #answerLines(id: string, text: string, state: 'growing' | 'whole', said: number): string[] {
    const from = said === 0 && text.startsWith(this.#answer) ? this.#answer.length : said;
    const end = state === 'whole' ? text.length : text.lastIndexOf('\n') + 1;
    if (end <= from) return [];
    this.#said.set(id, end);
    const news = text.slice(from, end);
    this.#answer = text.slice(0, end);
    const lines = sanitise(news)
      .split('\n')
      .filter((line) => line.trim() !== '');
    return from === 0 ? lines.map((line, index) => (index === 0 ? `Agent: ${line}` : line)) : lines;
  }

  #toolLines(tool: ToolBlock, said: number): string[] {
    const name = sanitiseLine(tool.name);
    const lines = said < 1 ? [`Tool ${name}: ${sanitiseLine(tool.title)}`] : [];
    this.#said.set(tool.id, Math.max(said, 1));
    if (tool.status === 'running' || said >= 2) return lines;
    this.#said.set(tool.id, 2);
    const time = tool.durationMs === null ? '' : `, ${seconds(tool.durationMs)}`;
    const notice = tool.notice === '' ? [] : [sanitise(tool.notice)];
    return [...lines, `Tool ${name}: ${OUTCOMES[tool.status]}${time}`, ...notice];
  }

  #questionLines({ live }: State): string[] {
    const [question] = live?.envelopes?.questions ?? [];
    if (question === undefined || this.#asked.has(question.call)) return [];
    this.#asked.add(question.call);
    return questionLines(question);
  }
}

const OUTCOMES: Readonly<Record<Exclude<ToolBlock['status'], 'running'>, string>> = {
  ok: 'done',
  error: 'failed',
  denied: 'not allowed',
  cancelled: 'stopped',
  unknown: 'over, how it ended was not told',
};

function questionLines({ args, rules, title, toolName }: Question): string[] {
  const { command, diff } = args;
  const what = typeof command === 'string' ? command : title;
  const always = rules.length === 0 ? '' : `, a to allow it always (${rules.map(sanitiseLine).join('; ')})`;
  return [
    `The agent asks: ${sanitiseLine(toolName)} wants to run:`,
    revealHidden(what),
    ...(typeof diff === 'string' && diff !== '' ? [revealHidden(diff)] : []),
    `Type y to allow it once${always}, n to deny it.`,
  ];
}

/** A session that was opened: its name, and the last thing that was said. */
function opened({ history, session }: State): string[] {
  // One that was made for a message has nothing to tell yet.
  if (session === null || history.length === 0) return [];
  const last = history.findLast((block) => block.kind === 'answer');
  const title = sanitiseLine(session.title) || 'Untitled';
  const tail = last?.kind === 'answer' ? [`Agent, last: ${sanitise(last.text).trim()}`] : [];
  const held = session.control === 'other' ? ['Somebody else writes in it: you can read along.'] : [];
  return [`Session: ${title}`, ...tail, ...held];
}

function linkLines(before: State | null, { link }: State): string[] {
  if (before !== null && before.link.kind === link.kind) return [];
  switch (link.kind) {
    case 'ready':
      return [before?.link.kind === 'lost' ? 'The link is back.' : 'Ready. Type a message, or /help.'];
    case 'refused':
      return [sanitiseLine(`${link.sentence} ${link.next}`)];
    case 'lost':
      return ['The link is lost, coming back.'];
    case 'connecting':
      return before === null ? ['Connecting.'] : [];
  }
}

function noticeLines(before: State | null, { notice }: State): string[] {
  return notice === null || notice.text === before?.notice?.text ? [] : [sanitise(notice.text)];
}

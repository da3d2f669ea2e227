/** What there is to show of one thing in full: named parts, each a text. */

import type { Style } from '../../render/row.ts';
import { revealHidden } from '../../render/sanitise.ts';
import type { Block, ToolBlock } from '../../transcript/blocks.ts';
import type { Question } from '../../transcript/envelope-turn.ts';
import { bytes } from '../rows/format.ts';
import type { OutputRead } from './reading.ts';

export interface Section {
  /** Empty for a text without a name. */
  readonly label: string;
  readonly text: string;
  readonly style: Style;
  readonly as: 'text' | 'diff';
}

/** Whether the service has more of an output than stands in the talk, or may have. */
export function outputGoesOn({ output, outputBytes, status }: ToolBlock): boolean {
  if (status === 'running') return true;
  return outputBytes !== undefined && outputBytes > Buffer.byteLength(output);
}

export function sectionsOf(block: Block, output: OutputRead | null): readonly Section[] {
  switch (block.kind) {
    case 'tool':
      return toolSections(block, output);
    case 'user':
    case 'answer':
    case 'thinking':
    case 'service':
      return [{ label: '', text: block.text, style: 'text', as: 'text' }];
    case 'file':
      return [{ label: '', text: `${block.name}, ${bytes(block.size)}`, style: 'text', as: 'text' }];
    case 'turn-end':
      return [{ label: '', text: block.reason || block.status, style: 'text', as: 'text' }];
  }
}

function toolSections(block: ToolBlock, read: OutputRead | null): readonly Section[] {
  const { args = {}, diff, notice, output } = block;
  const isRead = read !== null && read.text !== '';
  const text = isRead ? read.text : output;
  const sections: Section[] = argumentSections(args);
  if (notice !== '') sections.push({ label: 'notice', text: notice, style: 'warn', as: 'text' });
  if (diff !== '') sections.push({ label: 'change', text: diff, style: 'text', as: 'diff' });
  if (text !== '' || read !== null)
    sections.push({ label: `output${amountWords(read, block)}`, text, style: 'code', as: 'text' });
  return sections;
}

/** What is shown of an output that is longer than the talk keeps. */
function amountWords(read: OutputRead | null, { outputBytes, status }: ToolBlock): string {
  if (read === null) return '';
  if (read.state === 'failed' && status === 'running') return ' · nothing to be read yet';
  if (read.state === 'failed')
    return ` · only its start could be read, of ${bytes(outputBytes ?? read.total)}`;
  if (read.total === 0) return ' · reading…';
  const more = read.state === 'reading' ? ' · reading…' : '';
  return read.read >= read.total ? more : ` · ${bytes(read.read)} of ${bytes(read.total)} read${more}`;
}

/** Arguments as people read them: texts as they are, everything else as JSON. */
function argumentSections(args: Readonly<Record<string, unknown>>): Section[] {
  return Object.entries(args).map(([label, value]) => ({
    label,
    text: typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? ''),
    style: 'text',
    as: 'text',
  }));
}

/** A question in full; hidden characters are made visible. */
export function questionSections({ args, rules, title }: Question): readonly Section[] {
  const { diff, ...others } = args;
  const shown = argumentSections(others).map((section) => ({ ...section, text: revealHidden(section.text) }));
  const sections: Section[] = shown.some(({ text }) => text === revealHidden(title))
    ? shown
    : [{ label: '', text: revealHidden(title), style: 'strong', as: 'text' }, ...shown];
  if (typeof diff === 'string' && diff !== '')
    sections.push({ label: 'change', text: diff, style: 'text', as: 'diff' });
  if (rules.length > 0)
    sections.push({ label: 'always would allow', text: rules.join('\n'), style: 'dim', as: 'text' });
  return sections;
}

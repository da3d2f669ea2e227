/** How each block of the talk looks: blocks in, rows out. Everything passes the sanitiser on its way. */
import type { Row } from '../../render/row.ts';
import type { Block } from '../../transcript/blocks.ts';
import type { Fold } from '../reading/folds.ts';
import { answerLook } from './blocks/answer-look.ts';
import { fileLook } from './blocks/file-look.ts';
import type { Look, LookOptions } from './blocks/look.ts';
import { serviceLook } from './blocks/service-look.ts';
import { thinkingLook } from './blocks/thinking-look.ts';
import { toolLook } from './blocks/tool-look.ts';
import { turnEndLook } from './blocks/turn-end-look.ts';
import { userLook } from './blocks/user-look.ts';

export { answerRows } from './blocks/answer-look.ts';

export interface BlockLayout extends LookOptions {
  /** Stands in front of a block that shows anything. */
  readonly front: readonly Row[];
  /** Ready rows of an answer that is being written; null for any other block. */
  readonly answer: readonly Row[] | null;
}

/** Rows of one block, each at most `width` cells. */
export function blockRows(block: Block, { answer, front, ...options }: BlockLayout): readonly Row[] {
  const rows = answer ?? lookOf(block, options).rows;
  return rows.length === 0 || front.length === 0 ? rows : [...front, ...rows];
}

/** Tool calls stand in one list, and files below their message, without blank rows between them. */
export function sticksTogether(before: Block, block: Block): boolean {
  if (block.kind === 'file') return before.kind === 'user' || before.kind === 'file';
  return before.kind === 'tool' && block.kind === 'tool';
}

/** The fold behind the present one; null where nothing can be folded. */
export function nextFold(block: Block, options: LookOptions): Fold | null {
  const { folds } = lookOf(block, options);
  if (folds.length < 2) return null;
  return folds[(folds.indexOf(options.fold) + 1) % folds.length] ?? null;
}

function lookOf(block: Block, options: LookOptions): Look {
  switch (block.kind) {
    case 'user':
      return userLook(block, options);
    case 'answer':
      return answerLook(block, options);
    case 'thinking':
      return thinkingLook(block, options);
    case 'tool':
      return toolLook(block, options);
    case 'service':
      return serviceLook(block, options);
    case 'file':
      return fileLook(block, options);
    case 'turn-end':
      return turnEndLook(block, options);
  }
}

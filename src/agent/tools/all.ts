import { bashTool } from './bash.ts';
import { editTool } from './edit.ts';
import { findTool } from './find.ts';
import { grepTool } from './grep.ts';
import { listTool } from './list.ts';
import { patchTool } from './patch.ts';
import { readTool } from './read.ts';
import type { Tool } from './tool.ts';
import { writeTool } from './write.ts';

/** Every tool that an agent has, in the order in which the model sees them. */
export const TOOLS: readonly Tool[] = [
  readTool,
  listTool,
  findTool,
  grepTool,
  writeTool,
  editTool,
  patchTool,
  bashTool,
];

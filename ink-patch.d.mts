import type { Plugin } from 'esbuild';

export const INK_PATCHES: readonly {
  readonly file: string;
  readonly from: string;
  readonly to: string;
  readonly more: string;
}[];
export function patched(file: string, source: string): string;
export const inkPatch: Plugin;

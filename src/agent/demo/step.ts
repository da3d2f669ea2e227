import type { ToolResult } from '../tools/executor.ts';

/** One thing that the demo model does. */
export type DemoStep =
  | { readonly kind: 'say'; readonly text: string; readonly pace: 'normal' | 'slow' }
  | { readonly kind: 'think'; readonly text: string }
  | { readonly kind: 'tool'; readonly name: string; readonly args: Record<string, unknown> };

/** A script: yields steps, and gets a tool's result back from its `tool` steps (undefined from others). */
export type DemoScript = Generator<DemoStep, void, ToolResult | undefined>;

/** Streams markdown at normal speed. */
export function say(text: string): DemoStep {
  return { kind: 'say', text, pace: 'normal' };
}

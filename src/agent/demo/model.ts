import type { ModelInfo } from '../runtime.ts';

export const DEMO_WINDOW_TOKENS = 32_000;

export const DEMO_MODELS: readonly ModelInfo[] = [
  {
    id: 'demo-1',
    label: 'Demo model (scripted, offline)',
    contextWindow: DEMO_WINDOW_TOKENS,
    maxOutputTokens: 8000,
    thinkingLevels: ['default'],
  },
];

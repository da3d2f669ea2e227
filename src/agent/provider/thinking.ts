import type { Api, Model, ThinkingLevel } from '@earendil-works/pi-ai';

/** Levels of the wire and of the SDK, weakest first. */
const LEVELS: readonly (readonly [wire: string, sdk: ThinkingLevel])[] = [
  ['low', 'low'],
  ['medium', 'medium'],
  ['high', 'high'],
  ['x_high', 'xhigh'],
  ['max', 'max'],
];

/** The wire's thinking levels that a model offers; `default` comes first. */
export function thinkingLevelsOf(
  model: Pick<Model<Api>, 'reasoning' | 'thinkingLevelMap'>,
): readonly string[] {
  if (!model.reasoning) return ['default'];
  const offered = LEVELS.filter(([, sdk]) => {
    const mapped = model.thinkingLevelMap?.[sdk];
    const isOptIn = sdk === 'xhigh' || sdk === 'max';
    return mapped !== null && (mapped !== undefined || !isOptIn);
  });
  return ['default', ...offered.map(([wire]) => wire)];
}

/** The SDK's level for a wire level; undefined for `default`, unknown levels and those the model does not offer. */
export function sdkThinkingLevel(model: Model<Api>, wireLevel: string): ThinkingLevel | undefined {
  if (!thinkingLevelsOf(model).includes(wireLevel)) return undefined;
  return LEVELS.find(([wire]) => wire === wireLevel)?.[1];
}

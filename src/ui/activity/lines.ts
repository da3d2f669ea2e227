/** The tree as lines: what is folded away is left out. */
import type { ActivityNode } from '../../transcript/activity.ts';

export interface ActivityLine {
  readonly node: ActivityNode;
  /** 0 for the agent's own work. */
  readonly depth: number;
  readonly isFolded: boolean;
}

export function activityLines(
  nodes: readonly ActivityNode[],
  folded: ReadonlySet<string>,
  depth = 0,
): ActivityLine[] {
  return nodes.flatMap((node) => {
    const isFolded = node.children.length > 0 && folded.has(node.id);
    const below = isFolded ? [] : activityLines(node.children, folded, depth + 1);
    return [{ node, depth, isFolded }, ...below];
  });
}

/** The place of the chosen line; the last one while none is chosen or the chosen one is folded away. */
export function chosenLine(lines: readonly ActivityLine[], selected: string | null): number {
  const place = lines.findIndex(({ node }) => node.id === selected);
  return place < 0 ? Math.max(0, lines.length - 1) : place;
}

/**
 * A terminal's cells as an SVG picture. Pure: the same cells give the same bytes.
 * Invariants: every visible character stands in its own cells, whatever font the viewer has; nothing that a cell holds
 * is markup.
 */
import type { ScreenCell, VirtualScreen } from '../support/virtual-screen.ts';

/** What the terminal itself would use. */
export interface WindowColours {
  readonly background: string;
  readonly foreground: string;
  /** The sixteen colours that a terminal gives to programs. */
  readonly sixteen: readonly string[];
}

export const DARK: WindowColours = {
  background: '#101418',
  foreground: '#d5dbe1',
  sixteen: [
    ...['#1b2127', '#e06c75', '#8fc07a', '#d9a95c', '#6fa8dc', '#c08bd6', '#66b8c0', '#c8cdd3'],
    ...['#5c6670', '#f08a92', '#a8d695', '#ecc27d', '#8fc1ee', '#d5a8e8', '#88d2d9', '#ffffff'],
  ],
};

export const LIGHT: WindowColours = {
  background: '#ffffff',
  foreground: '#1f2328',
  sixteen: [
    ...['#1f2328', '#b3261e', '#2f6f32', '#8a5a00', '#1d5fa8', '#7a3e9d', '#0f6b75', '#6e7781'],
    ...['#57606a', '#cf3a31', '#3f8f43', '#a97000', '#2f7fd0', '#9a55c2', '#1f8b96', '#24292f'],
  ],
};

const CELL = { width: 8.4, height: 17 };
const FONT_SIZE = 14;
const BASELINE = 13;
const MARGIN = 14;
const FONTS =
  "ui-monospace, 'SF Mono', 'Cascadia Mono', 'JetBrains Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace";
/** Faint text keeps so much of its colour. */
const FAINT = 0.6;

/** How a stretch of cells looks. */
interface Look {
  readonly fill: string;
  readonly behind: string;
  readonly weight: 'bold' | 'normal';
  readonly slant: 'italic' | 'normal';
  readonly line: 'underline' | 'none';
  readonly strength: 'faint' | 'full';
}

interface Stretch {
  readonly x: number;
  readonly cells: number;
  readonly text: string;
  readonly look: Look;
}

export interface PictureOptions {
  readonly cols: number;
  readonly rows: number;
  readonly colours: WindowColours;
  /** For those who cannot see it. */
  readonly title: string;
}

/** Returns the picture of what a screen shows, its cursor included. */
export function svgOf(screen: VirtualScreen, { colours, cols, rows, title }: PictureOptions): string {
  const width = pixels(cols * CELL.width + 2 * MARGIN);
  const height = pixels(rows * CELL.height + 2 * MARGIN);
  const lines = Array.from({ length: rows }, (_, y) =>
    rowOf(stretchesOf(screen, y, cols, colours), y, colours),
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">`,
    `<title>${escaped(title)}</title>`,
    `<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8" fill="${colours.background}" stroke="#808080" stroke-opacity="0.5"/>`,
    `<g font-family="${FONTS}" font-size="${FONT_SIZE}" xml:space="preserve">`,
    ...lines.filter((line) => line !== ''),
    ...cursorOf(screen, colours),
    '</g>',
    '</svg>',
    '',
  ].join('\n');
}

/** Neighbours that look the same, together; a wide character stands alone. */
function stretchesOf(screen: VirtualScreen, y: number, cols: number, colours: WindowColours): Stretch[] {
  const stretches: Stretch[] = [];
  for (let x = 0; x < cols; x += 1) {
    const cell = screen.cell(x, y);
    if (cell.width === 0) continue;
    const text = cell.text === '' ? ' ' : cell.text;
    const next: Stretch = { x, cells: cell.width, text, look: lookOf(cell, colours) };
    const last = stretches.at(-1);
    if (last !== undefined && joins(last, next)) {
      const cells = last.cells + next.cells;
      stretches[stretches.length - 1] = { ...last, cells, text: last.text + text };
    } else stretches.push(next);
  }
  return stretches;
}

function joins(last: Stretch, next: Stretch): boolean {
  const isNarrow = next.cells === 1 && last.cells === [...last.text].length;
  return isNarrow && JSON.stringify(last.look) === JSON.stringify(next.look);
}

function lookOf(cell: ScreenCell, colours: WindowColours): Look {
  const fill = colourOf(cell.foreground, colours, colours.foreground);
  const behind = colourOf(cell.background, colours, colours.background);
  return {
    fill: cell.inverse ? behind : fill,
    behind: cell.inverse ? fill : behind,
    weight: cell.bold ? 'bold' : 'normal',
    slant: cell.italic ? 'italic' : 'normal',
    line: cell.underline ? 'underline' : 'none',
    strength: cell.dim ? 'faint' : 'full',
  };
}

/** A colour of a cell as `#rrggbb`. */
export function colourOf(colour: string | number, { sixteen }: WindowColours, usual: string): string {
  if (typeof colour === 'string') return colour === 'default' ? usual : colour;
  if (colour < 16) return sixteen[colour] ?? usual;
  if (colour >= 232) return grey(8 + (colour - 232) * 10);
  const place = colour - 16;
  const steps = [Math.floor(place / 36), Math.floor(place / 6) % 6, place % 6];
  return `#${steps.map((step) => hex(step === 0 ? 0 : 55 + step * 40)).join('')}`;
}

function grey(level: number): string {
  return `#${hex(level).repeat(3)}`;
}

function hex(value: number): string {
  return value.toString(16).padStart(2, '0');
}

function rowOf(stretches: readonly Stretch[], y: number, { background }: WindowColours): string {
  const parts = stretches.flatMap((stretch) => {
    const left = pixels(MARGIN + stretch.x * CELL.width);
    const wide = pixels(stretch.cells * CELL.width);
    const top = pixels(MARGIN + y * CELL.height);
    const { behind, ...look } = stretch.look;
    const box =
      behind === background
        ? []
        : [`<rect x="${left}" y="${top}" width="${wide}" height="${CELL.height}" fill="${behind}"/>`];
    if (stretch.text.trim() === '') return box;
    const at = `x="${left}" y="${pixels(MARGIN + y * CELL.height + BASELINE)}" textLength="${wide}"`;
    return [...box, `<text ${at}${attributes(look)}>${escaped(stretch.text)}</text>`];
  });
  return parts.join('');
}

function attributes({ fill, line, slant, strength, weight }: Omit<Look, 'behind'>): string {
  const all = [
    ` fill="${fill}"`,
    weight === 'bold' ? ' font-weight="bold"' : '',
    slant === 'italic' ? ' font-style="italic"' : '',
    line === 'underline' ? ' text-decoration="underline"' : '',
    strength === 'faint' ? ` fill-opacity="${FAINT}"` : '',
  ];
  return all.join('');
}

function cursorOf(screen: VirtualScreen, { foreground }: WindowColours): string[] {
  const { visible, x, y } = screen.cursor();
  if (!visible) return [];
  const [left, top] = [pixels(MARGIN + x * CELL.width), pixels(MARGIN + y * CELL.height)];
  return [`<rect x="${left}" y="${top}" width="2" height="${CELL.height}" fill="${foreground}"/>`];
}

function pixels(value: number): number {
  return Math.round(value * 100) / 100;
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

/**
 * A terminal without a window: bytes in, cells out, and the answers that a real terminal would send back.
 *
 * Invariant: rows(), cell() and cursor() tell what a user would see after every byte whose write() has settled.
 */
import graphemes from '@xterm/addon-unicode-graphemes';
import xterm from '@xterm/headless';

export interface VirtualScreenOptions {
  readonly cols: number;
  readonly rows: number;
  /** Where the terminal's answers go: the input of the program. */
  readonly onReply: (reply: string) => void;
  /** Answers to colour questions, as `#rrggbb`; null for a terminal that does not answer. */
  readonly background: string | null;
  /** `supported`: answers the question for richer key reports and keeps their stack. */
  readonly kittyKeyboard: 'supported' | 'unsupported';
}

export interface ScreenCell {
  readonly text: string;
  /** Cells taken: 1, 2, or 0 for the right half of a wide character. */
  readonly width: number;
  readonly bold: boolean;
  readonly dim: boolean;
  readonly italic: boolean;
  readonly underline: boolean;
  readonly inverse: boolean;
  /** `default`, a palette index, or `#rrggbb`. */
  readonly foreground: string | number;
  readonly background: string | number;
}

export interface ScreenCursor {
  readonly x: number;
  readonly y: number;
  readonly visible: boolean;
}

/** What is switched on right now. */
export interface ScreenModes {
  readonly alternate: boolean;
  readonly bracketedPaste: boolean;
  readonly focusReports: boolean;
  readonly mouse: boolean;
  /** How many times richer key reports were pushed and not popped. */
  readonly kittyDepth: number;
}

const ST = '\u001b\\';

export class VirtualScreen {
  readonly #terminal: xterm.Terminal;
  readonly #options: VirtualScreenOptions;
  #cursorVisible = true;
  #kittyDepth = 0;
  #title = '';
  #clipboard: string | null = null;

  constructor(options: VirtualScreenOptions) {
    this.#options = options;
    this.#terminal = new xterm.Terminal({
      cols: options.cols,
      rows: options.rows,
      allowProposedApi: true,
      scrollback: 10_000,
    });
    this.#terminal.loadAddon(new graphemes.UnicodeGraphemesAddon());
    this.#terminal.onData(options.onReply);
    this.#terminal.onTitleChange((title) => {
      this.#title = title;
    });
    this.#watch();
  }

  /** Takes output of the program; settles when the cells show it. */
  write(bytes: Uint8Array | string): Promise<void> {
    return new Promise((done) => this.#terminal.write(bytes, done));
  }

  resize(cols: number, rows: number): void {
    this.#terminal.resize(cols, rows);
  }

  /** Returns the visible rows, without blanks at their ends. */
  rows(): readonly string[] {
    const { active } = this.#terminal.buffer;
    return this.#rowsOf(active, active.baseY, this.#terminal.rows);
  }

  /** Returns the visible rows as one text, without empty rows at the end. */
  text(): string {
    return this.rows().join('\n').trimEnd();
  }

  /** Returns everything on the normal screen and above it, whichever screen is shown. */
  normalText(): string {
    const { normal } = this.#terminal.buffer;
    return this.#rowsOf(normal, 0, normal.length).join('\n').trimEnd();
  }

  /** Returns how many rows have scrolled off the top of the normal screen. */
  scrollback(): number {
    return this.#terminal.buffer.normal.baseY;
  }

  /** Returns where the cursor is, cells from 0, and whether it shows. */
  cursor(): ScreenCursor {
    const { cursorX, cursorY } = this.#terminal.buffer.active;
    return { x: cursorX, y: cursorY, visible: this.#cursorVisible };
  }

  /** Returns one visible cell, x and y from 0. Throws outside the window. */
  cell(x: number, y: number): ScreenCell {
    const { active } = this.#terminal.buffer;
    const cell = active.getLine(active.baseY + y)?.getCell(x);
    if (cell === undefined) throw new RangeError(`no cell at ${x},${y}`);
    return {
      text: cell.getChars(),
      width: cell.getWidth(),
      bold: cell.isBold() !== 0,
      dim: cell.isDim() !== 0,
      italic: cell.isItalic() !== 0,
      underline: cell.isUnderline() !== 0,
      inverse: cell.isInverse() !== 0,
      foreground: colourOf(cell.getFgColor(), { rgb: cell.isFgRGB(), palette: cell.isFgPalette() }),
      background: colourOf(cell.getBgColor(), { rgb: cell.isBgRGB(), palette: cell.isBgPalette() }),
    };
  }

  isAlternate(): boolean {
    return this.#terminal.buffer.active.type === 'alternate';
  }

  modes(): ScreenModes {
    const { bracketedPasteMode, sendFocusMode, mouseTrackingMode } = this.#terminal.modes;
    return {
      alternate: this.isAlternate(),
      bracketedPaste: bracketedPasteMode,
      focusReports: sendFocusMode,
      mouse: mouseTrackingMode !== 'none',
      kittyDepth: this.#kittyDepth,
    };
  }

  /** Returns the window title that the program set last. */
  title(): string {
    return this.#title;
  }

  /** Returns the text that OSC 52 put on the clipboard last, or null. */
  clipboard(): string | null {
    return this.#clipboard;
  }

  dispose(): void {
    this.#terminal.dispose();
  }

  #rowsOf(buffer: xterm.IBuffer, from: number, count: number): readonly string[] {
    return Array.from({ length: count }, (_, y) => buffer.getLine(from + y)?.translateToString(true) ?? '');
  }

  /** What the headless terminal does not keep or answer by itself. */
  #watch(): void {
    const { parser } = this.#terminal;
    const { background, kittyKeyboard, onReply } = this.#options;
    for (const [final, visible] of [
      ['h', true],
      ['l', false],
    ] as const) {
      parser.registerCsiHandler({ prefix: '?', final }, (params) => {
        if (params.includes(25)) this.#cursorVisible = visible;
        return false;
      });
    }
    for (const slot of [10, 11]) {
      parser.registerOscHandler(slot, (data) => {
        if (data !== '?') return false;
        if (background !== null) {
          const colour = slot === 11 ? background : inverted(background);
          onReply(`\u001b]${slot};${xColour(colour)}${ST}`);
        }
        return true;
      });
    }
    parser.registerOscHandler(52, (data) => {
      const payload = data.slice(data.indexOf(';') + 1);
      if (payload !== '?') this.#clipboard = Buffer.from(payload, 'base64').toString('utf8');
      return true;
    });
    parser.registerCsiHandler({ prefix: '>', final: 'u' }, () => {
      this.#kittyDepth += 1;
      return true;
    });
    parser.registerCsiHandler({ prefix: '<', final: 'u' }, (params) => {
      const [count] = params;
      this.#kittyDepth = Math.max(0, this.#kittyDepth - (typeof count === 'number' ? Math.max(1, count) : 1));
      return true;
    });
    parser.registerCsiHandler({ prefix: '?', final: 'u' }, () => {
      if (kittyKeyboard === 'supported') onReply(`\u001b[?${this.#kittyDepth > 0 ? 1 : 0}u`);
      return true;
    });
  }
}

function colourOf(colour: number, is: { readonly rgb: boolean; readonly palette: boolean }): string | number {
  if (is.rgb) return `#${colour.toString(16).padStart(6, '0')}`;
  return is.palette ? colour : 'default';
}

/** `#1e2030` → `rgb:1e1e/2020/3030`. */
function xColour(colour: string): string {
  const channels = colour.match(/[0-9a-f]{2}/gi) ?? [];
  return `rgb:${channels.map((channel) => channel + channel).join('/')}`;
}

function inverted(colour: string): string {
  return `#${(0xffffff - Number.parseInt(colour.slice(1), 16)).toString(16).padStart(6, '0')}`;
}

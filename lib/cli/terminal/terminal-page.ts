/**
 * A page on the terminal's alternate screen that changes while it is looked at: lines to scroll through and to filter,
 * above a line that says which keys do what.
 */
import { printable } from '../../base/printable.ts';
import { cut, type Style, styled, terminalWidth } from './terminal.ts';
import { TerminalKeys } from './terminal-keys.ts';

const ENTER = '\x1b[?1049h\x1b[?25l';
const LEAVE = '\x1b[?25h\x1b[?1049l';
const HOME = '\x1b[H';
const CLEAR_LINE = '\x1b[K';
const CLEAR_BELOW = '\x1b[J';
/** Terminals that do not report their height count as this high. */
const USUAL_ROWS = 24;
/** A page that changes more often cannot be read, and costs the terminal time. */
const REDRAW_MS = 100;

export interface PageLine {
  readonly text: string;
  readonly style?: Style;
}

export interface PageContent {
  /** The lines that contain `filter`, which is in lower case, at most as wide as `width` where that matters. */
  lines(filter: string, width: number): readonly PageLine[];
  /** Its own keys, for the last line: `s sort by value`. */
  readonly keys: string;
  /** What is shown, at the end of the last line: `12 counters`. */
  readonly status: string;
  /** Whether new lines come at the end, which is then shown. */
  readonly isLog: boolean;
  /** The page calls this for its own keys. */
  onKey(key: string): void;
}

export class TerminalPage {
  readonly #content: PageContent;
  readonly #onQuit: () => void;
  readonly #keys: TerminalKeys;
  /** The first visible line; undefined at the end of a log, to stay there. */
  #top: number | undefined;
  #filter = '';
  #isTyping = false;
  #drawnAt = 0;
  #later: NodeJS.Timeout | undefined;
  #isShown = true;

  /** Both stdin and stdout are terminals. */
  constructor(content: PageContent, onQuit: () => void) {
    this.#content = content;
    this.#onQuit = onQuit;
    this.#top = content.isLog ? undefined : 0;
    process.stdout.write(ENTER);
    this.#keys = new TerminalKeys({
      onKey: (key) => this.#onKey(key),
      onSuspend: () => this.#leave(),
      onResume: () => this.#enter(),
    });
    process.stdout.on('resize', this.#draw);
    process.once('exit', this.#leave);
    this.#draw();
  }

  /** The content has changed. */
  changed(): void {
    const wait = this.#drawnAt + REDRAW_MS - performance.now();
    if (wait <= 0) this.#draw();
    else this.#later ??= setTimeout(this.#draw, wait);
  }

  /** Restores the terminal. */
  close(): void {
    clearTimeout(this.#later);
    process.stdout.off('resize', this.#draw);
    process.off('exit', this.#leave);
    this.#keys.close();
    this.#leave();
  }

  readonly #leave = (): void => {
    if (this.#isShown) process.stdout.write(LEAVE);
    this.#isShown = false;
  };

  #enter(): void {
    if (!this.#isShown) process.stdout.write(ENTER);
    this.#isShown = true;
    this.#draw();
  }

  readonly #draw = (): void => {
    clearTimeout(this.#later);
    this.#later = undefined;
    if (!this.#isShown) return;
    this.#drawnAt = performance.now();
    const width = terminalWidth();
    const room = roomForLines();
    const lines = this.#content.lines(this.#filter.toLowerCase(), width);
    const last = Math.max(0, lines.length - room);
    if (this.#top !== undefined) this.#top = Math.min(this.#top, last);
    const from = this.#top ?? last;
    const shown = lines.slice(from, from + room);
    const rows = shown.map(({ text, style }) => styled(cut(printable(text), width, 'end'), style));
    while (rows.length < room) rows.push('');
    const place = lines.length > room ? ` ${from + 1}-${from + shown.length} of ${lines.length}` : '';
    rows.push(styled(cut(printable(this.#hint(place)), width, 'end'), 'dim'));
    process.stdout.write(`${HOME}${rows.map((row) => `${row}${CLEAR_LINE}`).join('\r\n')}${CLEAR_BELOW}`);
  };

  #hint(place: string): string {
    if (this.#isTyping) return `/${this.#filter}_   enter: keep, escape: show all`;
    const filter = this.#filter === '' ? '/ filter' : `/ filter: ${this.#filter}`;
    const { keys, status } = this.#content;
    return ['q quit', `\u2191\u2193 scroll${place}`, filter, keys, status]
      .filter((part) => part !== '')
      .join('   ');
  }

  #onKey(key: string): void {
    if (this.#isTyping) this.#type(key);
    else if (key === 'q' || key === 'Q') this.#onQuit();
    else if (key === '/') this.#isTyping = true;
    else if (key === 'escape') this.#filter = '';
    else if (!this.#scroll(key)) this.#content.onKey(key);
    this.#draw();
  }

  #type(key: string): void {
    if (key === 'enter') this.#isTyping = false;
    else if (key === 'backspace') this.#filter = [...this.#filter].slice(0, -1).join('');
    else if (key === 'escape') {
      this.#filter = '';
      this.#isTyping = false;
    } else if ([...key].length === 1) this.#filter += key;
  }

  /** @returns whether the key scrolls */
  #scroll(key: string): boolean {
    const room = roomForLines();
    const by = { up: -1, down: 1, pageup: -room, pagedown: room }[key];
    const last = Math.max(0, this.#content.lines(this.#filter.toLowerCase(), terminalWidth()).length - room);
    if (key === 'home') this.#top = 0;
    else if (key === 'end') this.#top = last;
    else if (by === undefined) return false;
    else this.#top = Math.min(last, Math.max(0, (this.#top ?? last) + by));
    if (this.#content.isLog && this.#top === last) this.#top = undefined;
    return true;
  }
}

/** Counts the lines above the last one. */
function roomForLines(): number {
  return Math.max(1, (process.stdout.rows || USUAL_ROWS) - 1);
}

/** Whether somebody can look at a page, and type. */
export function hasTerminal(): boolean {
  return process.stdout.isTTY === true && process.stdin.isTTY === true;
}

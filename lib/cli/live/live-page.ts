/** The latest events on a terminal: a page that follows them, with keys to stop, scroll and filter. */
import type { TraceEvent } from '../../trace/trace-event.ts';
import { boundaryOf, isFailedStop } from '../../view/event-names.ts';
import { countText, thousands } from '../../view/number-text.ts';
import { eventText } from '../dump/event-text.ts';
import type { Style } from '../terminal/terminal.ts';
import { type PageContent, type PageLine, TerminalPage } from '../terminal/terminal-page.ts';

/** The number of events to scroll back to. */
const MAX_LINES = 10_000;
/** A line is cut after this many characters; no terminal shows the rest. */
const MAX_LENGTH = 1000;
const ERROR_LEVEL = 2;
const WARNING_LEVEL = 3;
const MS_PER_SECOND = 1000;

export class LivePage implements PageContent {
  readonly isLog = true;
  readonly #page: TerminalPage;
  #lines: PageLine[] = [];
  /** What is shown meanwhile. */
  #paused: readonly PageLine[] | undefined;
  #events = 0;
  #lost = 0;
  /** Counts the events of the current second, and keeps the number of the one before. */
  #recent = { since: performance.now(), events: 0, perSecond: 0 };

  constructor(onQuit: () => void) {
    this.#page = new TerminalPage(this, onQuit);
  }

  add(event: TraceEvent): void {
    this.#events++;
    this.#recent.events++;
    const style = styleOf(event);
    this.#lines.push({ text: eventText(event).slice(0, MAX_LENGTH), ...(style && { style }) });
    if (this.#lines.length > 2 * MAX_LINES) this.#lines = this.#lines.slice(-MAX_LINES);
  }

  /** @param lost events so far */
  changed(lost: number): void {
    this.#lost = lost;
    this.#page.changed();
  }

  close(): void {
    this.#page.close();
  }

  lines(filter: string): readonly PageLine[] {
    const lines = this.#paused ?? this.#lines.slice(-MAX_LINES);
    return filter === '' ? lines : lines.filter(({ text }) => text.toLowerCase().includes(filter));
  }

  get keys(): string {
    return this.#paused === undefined ? 'space pause' : 'space continue';
  }

  get status(): string {
    const lost = this.#lost === 0 ? '' : `, ${thousands(this.#lost)} lost`;
    return `${countText(this.#events, 'event')}${lost}, ${thousands(this.#rate())}/s`;
  }

  onKey(key: string): void {
    if (key === ' ') this.#paused = this.#paused === undefined ? this.lines('') : undefined;
  }

  #rate(): number {
    const { since, events, perSecond } = this.#recent;
    const elapsed = performance.now() - since;
    if (elapsed < MS_PER_SECOND) return perSecond;
    const rate = (events * MS_PER_SECOND) / elapsed;
    this.#recent = { since: performance.now(), events: 0, perSecond: rate };
    return rate;
  }
}

/** Errors and failed activities are red, warnings yellow. */
function styleOf(event: TraceEvent): Style | undefined {
  const { level } = event;
  const isFailed = boundaryOf(event) === 'Stop' && isFailedStop(event);
  if (isFailed || (level > 0 && level <= ERROR_LEVEL)) return 'red';
  return level === WARNING_LEVEL ? 'yellow' : undefined;
}

/**
 * A table of any number of rows, with elements only for the visible ones. One row is current: the arrow keys move it,
 * and assistive technology is notified, while the focus stays on the table.
 */
import { button, element } from './dom.ts';

interface Column {
  readonly title: string;
  readonly isNumber?: boolean;
  /** Called when the user asks for this order. */
  readonly onSort?: () => void;
}

interface RowListOptions {
  readonly label: string;
  readonly role: 'grid' | 'treegrid';
  /** The name is also that of the style class that sets the column widths. */
  readonly name: string;
  readonly columns: readonly Column[];
  /** Fills a row, given a cell for each column. */
  readonly fill: (row: HTMLElement, cells: readonly HTMLElement[], index: number) => void;
  /** Called with the row that the user moves to. */
  readonly onCurrent: (index: number) => void;
  /** Called on Enter and on a double click. */
  readonly onOpen?: (index: number) => void;
  /** Handles other keys; returns whether it did. */
  readonly onKey?: (key: string, index: number) => boolean;
  /** Shown if there are no rows. */
  readonly emptyText: string;
}

const LIST_ROW_HEIGHT = 22;
/**
 * Some browsers limit the height of elements. Beyond it, one pixel of scrolling moves the rows by more than one pixel.
 */
const MAX_HEIGHT = 8_000_000;

export class RowList {
  readonly element: HTMLElement;
  readonly #options: RowListOptions;
  readonly #titles: readonly HTMLElement[];
  readonly #body: HTMLElement;
  readonly #spacer: HTMLElement;
  readonly #window: HTMLElement;
  readonly #empty: HTMLElement;
  #count = 0;
  #current = -1;
  #isDue = false;

  constructor(options: RowListOptions) {
    this.#options = options;
    const { label, role, name, columns } = options;
    this.#titles = columns.map(({ title, isNumber, onSort }) =>
      element(
        'span',
        { role: 'columnheader', class: isNumber ? 'cell number' : 'cell' },
        onSort === undefined ? title : button(title, onSort, { class: 'link' }),
      ),
    );
    this.#spacer = element('div', { class: 'spacer', role: 'presentation' });
    this.#window = element('div', { class: 'window', role: 'rowgroup' });
    this.#empty = element('p', { class: 'empty' }, options.emptyText);
    this.#body = element('div', { class: 'rows', role: 'presentation' }, this.#spacer, this.#window);
    this.element = element(
      'div',
      { class: `list list-${name}`, role, 'aria-label': label, tabindex: '0' },
      element('div', { class: 'row head', role: 'row' }, ...this.#titles),
      this.#empty,
      this.#body,
    );
    this.#body.addEventListener('scroll', () => this.refresh());
    new ResizeObserver(() => this.refresh()).observe(this.#body);
    this.element.addEventListener('keydown', (event) => this.#key(event));
    this.#window.addEventListener('click', (event) => this.#click(event, (index) => this.goTo(index)));
    this.#window.addEventListener('dblclick', (event) =>
      this.#click(event, (index) => options.onOpen?.(index)),
    );
  }

  get current(): number {
    return this.#current;
  }

  /** Sets the number of rows; their contents have changed. */
  setCount(count: number, current = -1): void {
    this.#count = count;
    this.#current = Math.min(current, count - 1);
    this.element.setAttribute('aria-rowcount', String(count + 1));
    this.#spacer.style.height = `${Math.min(MAX_HEIGHT, count * LIST_ROW_HEIGHT)}px`;
    this.#empty.hidden = count > 0;
    this.refresh();
  }

  /** Says that the rows are in descending order of this column. */
  showSorted(column: number): void {
    for (const [index, title] of this.#titles.entries()) {
      if (index === column) title.setAttribute('aria-sort', 'descending');
      else title.removeAttribute('aria-sort');
    }
  }

  /** Refills the visible rows in the next frame. */
  refresh(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    requestAnimationFrame(() => {
      this.#isDue = false;
      this.#render();
    });
  }

  /** Makes a row current, as a user action does. */
  goTo(index: number): void {
    if (index < 0 || index >= this.#count) return;
    this.show(index);
    this.#options.onCurrent(index);
  }

  /** Makes a row current and scrolls to it; -1 for none. */
  show(index: number): void {
    this.#current = index;
    const top = this.#firstRow();
    const fitting = Math.floor(this.#body.clientHeight / LIST_ROW_HEIGHT);
    if (index >= 0 && (index < top || index >= top + fitting)) {
      const first = index < top ? index : index - fitting + 1;
      this.#body.scrollTop = Math.max(0, first) * LIST_ROW_HEIGHT * this.#shrinking();
    }
    this.refresh();
  }

  /** Pixels of scrolling per pixel of rows. */
  #shrinking(): number {
    const whole = this.#count * LIST_ROW_HEIGHT;
    const { clientHeight } = this.#body;
    return whole <= MAX_HEIGHT ? 1 : (MAX_HEIGHT - clientHeight) / (whole - clientHeight);
  }

  #firstRow(): number {
    return Math.round(this.#body.scrollTop / this.#shrinking() / LIST_ROW_HEIGHT);
  }

  #render(): void {
    const { scrollTop, clientHeight } = this.#body;
    if (clientHeight === 0) return;
    const rowsTop = scrollTop / this.#shrinking();
    const first = Math.floor(rowsTop / LIST_ROW_HEIGHT);
    const last = Math.min(this.#count, first + Math.ceil(clientHeight / LIST_ROW_HEIGHT) + 1);
    const rows: HTMLElement[] = [];
    for (let index = first; index < last; index++) rows.push(this.#row(index));
    this.#window.replaceChildren(...rows);
    this.#window.style.transform = `translateY(${scrollTop - (rowsTop - first * LIST_ROW_HEIGHT)}px)`;
    const current = rows.find((row) => row.getAttribute('aria-selected') === 'true');
    if (current === undefined) this.element.removeAttribute('aria-activedescendant');
    else this.element.setAttribute('aria-activedescendant', current.id);
  }

  #row(index: number): HTMLElement {
    const { columns, name, fill } = this.#options;
    const cells = columns.map(({ isNumber }) =>
      element('span', { role: 'gridcell', class: isNumber ? 'cell number' : 'cell' }),
    );
    const row = element(
      'div',
      {
        class: 'row',
        role: 'row',
        id: `${name}-${index}`,
        'aria-rowindex': String(index + 2),
        'aria-selected': String(index === this.#current),
      },
      ...cells,
    );
    fill(row, cells, index);
    return row;
  }

  #click(event: MouseEvent, act: (index: number) => void): void {
    const row = event.target instanceof Element ? event.target.closest('.row') : null;
    if (row !== null) act(Number(row.getAttribute('aria-rowindex')) - 2);
  }

  #key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey || this.#count === 0) return;
    const fitting = Math.max(1, Math.floor(this.#body.clientHeight / LIST_ROW_HEIGHT) - 1);
    const steps: Readonly<Record<string, number>> = {
      ArrowUp: -1,
      ArrowDown: 1,
      PageUp: -fitting,
      PageDown: fitting,
      Home: -this.#count,
      End: this.#count,
    };
    const step = steps[event.key];
    if (step !== undefined) this.goTo(Math.max(0, Math.min(this.#count - 1, this.#current + step)));
    else if (event.key === 'Enter' && this.#current >= 0) this.#options.onOpen?.(this.#current);
    else if (this.#current < 0 || this.#options.onKey?.(event.key, this.#current) !== true) return;
    event.preventDefault();
  }
}

/** Listens to a source and describes what it received in words: each event with its activity, as a path. */

import { Guid } from '../../lib/activity/guid.ts';
import { formatActivityPath } from '../../lib/activity/path.ts';
import { listen, type WrittenEvent } from '../../lib/index.ts';

export class Heard {
  readonly events: WrittenEvent[] = [];
  readonly #close: () => void;
  /** Top-level numbers as they are, in the order in which they were met here. */
  readonly #topLevelNumbers: string[] = [];

  constructor(source: Parameters<typeof listen>[0]) {
    const subscription = listen(source, (event) => this.events.push(event));
    this.#close = () => subscription.close();
  }

  close(): void {
    this.#close();
  }

  /**
   * The id as a path without the thread: `1/2` is the second child of the first top-level activity that was
   * met. The numbers of top-level activities go on from test to test, so they are counted anew.
   */
  path(id: string | undefined): string {
    if (id === undefined) return '-';
    const [, number = '', rest = ''] = /^\/\/1\/(\d+)(.*)$/.exec(formatActivityPath(Guid.parse(id))) ?? [];
    if (number === '') return id;
    if (!this.#topLevelNumbers.includes(number)) this.#topLevelNumbers.push(number);
    return `${this.#topLevelNumbers.indexOf(number) + 1}${rest}`;
  }

  /** `RequestStart 1/1 in 1`: the event, its activity, and for a start the one that it is in. */
  get lines(): string[] {
    return this.events.map((event) => {
      const path = this.path(event.activityId);
      const related =
        event.relatedActivityId === undefined ? '' : ` in ${this.path(event.relatedActivityId)}`;
      return `${event.name} ${path}${related}`;
    });
  }
}

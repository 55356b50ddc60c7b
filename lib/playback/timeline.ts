/** Events of several types together, each with its time. */
import { type Observable, Subject } from 'rxjs';
import type { Nanoseconds } from '../trace/trace-event.ts';
import type { Sink } from './demultiplexer.ts';

/** An event and its time. */
export interface Timestamped<Event> {
  readonly timestamp: Nanoseconds;
  readonly value: Event;
}

export class Timeline<Event> implements Sink {
  readonly #subject = new Subject<Timestamped<Event>>();
  readonly events: Observable<Timestamped<Event>> = this.#subject.asObservable();

  next(event: unknown, timestamp: Nanoseconds): void {
    this.#subject.next({ timestamp, value: event as Event });
  }

  complete(): void {
    this.#subject.complete();
  }

  error(error: unknown): void {
    this.#subject.error(error);
  }
}

/** A listener that requests log lines as events, and an activity to contain them. */
import { onTestFinished } from 'vitest';
import { defineEventSource, EventListener, event, listen, type WrittenEvent } from '../../lib/index.ts';

export const requests = defineEventSource('Log-Test-Requests', {
  RequestStart: event({}, { traceContext: true }),
  RequestStop: event(),
});

/** What the work returns, with the ids of its activity. */
export function inRequest<Result>(work: () => Result) {
  let start: WrittenEvent | undefined;
  const subscription = listen(requests, (written) => {
    if (written.name === 'RequestStart') start = written as WrittenEvent;
  });
  try {
    const result = requests.activity('Request', {}, { stop: () => ({}) }, work);
    if (start === undefined) throw new Error('There was no Start.');
    return {
      result,
      activityId: start.activityId,
      traceId: start.payload.traceId,
      spanId: start.payload.spanId,
    };
  } finally {
    subscription.close();
  }
}

export class LineListener {
  readonly events: WrittenEvent[] = [];
  readonly #listener: EventListener;

  constructor(level = 0, provider = 'Node.Logs') {
    this.#listener = new EventListener({
      onEventSourceCreated: (source, listener) => {
        if (source.name === provider) listener.enableEvents(source, level);
      },
      onEventWritten: (written) => void this.events.push(written),
    });
  }

  /** `Warning warn low on tea`: the event's name, the level's, the message. */
  get lines(): string[] {
    return this.events.map(({ name, payload }) => `${name} ${payload.levelName} ${payload.message}`);
  }

  get last(): WrittenEvent {
    const last = this.events.at(-1);
    if (last === undefined) throw new Error('No line has come.');
    return last;
  }

  close(): void {
    this.#listener.close();
  }
}

/** Listens until the end of the test. */
export function listenToLines(level?: number): LineListener {
  const listener = new LineListener(level);
  onTestFinished(() => listener.close());
  return listener;
}

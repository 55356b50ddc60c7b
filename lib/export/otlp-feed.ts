/** Sends the activities of a trace in progress to a collector. */
import type { Trace } from '../trace/trace.ts';
import type { TraceEvent } from '../trace/trace-event.ts';
import { OtlpExport } from './otlp-export.ts';
import type { OtlpSender, OtlpTarget } from './otlp-sender.ts';

export interface OtlpFeedOptions {
  readonly trace: Pick<Trace, 'name' | 'info' | 'processNames' | 'batches'>;
  readonly target: OtlpTarget;
  readonly sender: OtlpSender;
  /** Attributes of the resource. */
  readonly resource: object;
}

/** How long a span waits for others. */
const INTERVAL_MS = 1000;

export class OtlpFeed {
  readonly #options: OtlpFeedOptions;
  readonly #exporter: OtlpExport;

  constructor(options: OtlpFeedOptions) {
    const { trace, target, resource } = options;
    this.#options = options;
    this.#exporter = new OtlpExport(target.encoding, {
      name: trace.name,
      info: trace.info,
      resource,
      get processNames() {
        return trace.processNames;
      },
    });
  }

  /** Resolves when the trace has ended and the sender has received everything. */
  async run(): Promise<void> {
    const { trace } = this.#options;
    const timer = setInterval(() => this.#sendNext(), INTERVAL_MS).unref();
    try {
      await this.take(trace.batches());
    } finally {
      clearInterval(timer);
      this.close();
    }
  }

  /** Takes the events of a piece of the trace, which others may follow. */
  async take(batches: AsyncIterable<readonly TraceEvent[]>): Promise<void> {
    for await (const batch of batches) {
      for (const event of batch) {
        this.#exporter.add(event);
        if (!this.#exporter.isFull) continue;
        this.#sendNext();
        // The process may be one that serves requests.
        await new Promise(setImmediate);
      }
    }
  }

  /** No events follow: what has not stopped is sent as it is. */
  close(): void {
    this.#exporter.close();
    while (this.#exporter.hasPending) this.#sendNext();
  }

  /** Passes a request with what has ended to the sender. */
  #sendNext(): void {
    if (!this.#exporter.hasPending) return;
    const before = this.#exporter.takenSpans;
    const piece = this.#exporter.take();
    this.#options.sender.add(piece, this.#exporter.takenSpans - before);
  }
}

/** Sends the activities of a trace in progress, and its CPU samples if they are wanted, to a collector. */
import type { Trace } from '../trace/trace.ts';
import type { TraceEvent } from '../trace/trace-event.ts';
import type { ExportedTrace } from './exporter.ts';
import { OtlpExport } from './otlp-export.ts';
import type { OtlpProfileExport } from './otlp-profile-export.ts';
import type { OtlpSender, OtlpTarget } from './otlp-sender.ts';

interface OtlpFeedOptions {
  readonly trace: Pick<Trace, 'name' | 'info' | 'processNames' | 'batches'>;
  readonly target: OtlpTarget;
  /** It is undefined if somebody else sends the activities. */
  readonly sender: OtlpSender | undefined;
  /** Attributes of the resource. */
  readonly resource: object;
  /** What makes profiles of its CPU samples, and where they go. */
  readonly profiles?: { readonly exporter: OtlpProfileExport; readonly sender: OtlpSender } | undefined;
}

/** How long a span waits for others. */
const INTERVAL_MS = 1000;
/** The time that a profile covers. */
const PROFILE_MS = 10_000;

/** A trace whose processes may get their names later. */
export function exportedTrace(trace: OtlpFeedOptions['trace'], resource: object): ExportedTrace {
  return {
    name: trace.name,
    info: trace.info,
    resource,
    get processNames() {
      return trace.processNames;
    },
  };
}

export class OtlpFeed {
  readonly #options: OtlpFeedOptions;
  readonly #exporter: OtlpExport;

  constructor(options: OtlpFeedOptions) {
    const { trace, target, resource } = options;
    this.#options = options;
    this.#exporter = new OtlpExport(target.encoding, exportedTrace(trace, resource));
  }

  /** Resolves when the trace has ended and the sender has received everything. */
  async run(): Promise<void> {
    const { trace, profiles } = this.#options;
    const timer = setInterval(() => this.#sendNext(), INTERVAL_MS).unref();
    const profiling = setInterval(() => {
      // Otherwise, the functions may be named only at the end, as .NET does.
      if (profiles?.exporter.hasSwitches) this.#sendProfiles();
    }, PROFILE_MS).unref();
    try {
      await this.take(trace.batches());
    } finally {
      clearInterval(timer);
      clearInterval(profiling);
      this.close();
    }
  }

  /** Takes the events of a piece of the trace, which others may follow. */
  async take(batches: AsyncIterable<readonly TraceEvent[]>): Promise<void> {
    for await (const batch of batches) {
      for (const event of batch) {
        this.#exporter.add(event);
        this.#options.profiles?.exporter.add(event);
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
    this.#options.profiles?.exporter.close();
    this.#sendProfiles();
  }

  #sendProfiles(): void {
    const { profiles } = this.#options;
    if (profiles?.exporter.hasPending) profiles.sender.add(profiles.exporter.take(), 1);
  }

  /** Passes a request with what has ended to the sender. */
  #sendNext(): void {
    if (!this.#exporter.hasPending) return;
    const before = this.#exporter.takenSpans;
    const piece = this.#exporter.take();
    this.#options.sender?.add(piece, this.#exporter.takenSpans - before);
  }
}

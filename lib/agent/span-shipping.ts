/** Sends the activities of sessions and of files to an OpenTelemetry collector, as spans. */

import { OtlpFeed } from '../export/otlp-feed.ts';
import { OtlpSender, type OtlpTarget } from '../export/otlp-sender.ts';
import { otlpTarget } from '../export/otlp-settings.ts';
import { openTrace } from '../trace/open-trace.ts';
import type { AgentCounters } from './agent-counters.ts';
import type { LiveFeed, LiveTrace } from './attachment.ts';
import type { Resource } from './process-resource.ts';

/** How long the last spans may take when the agent ends. */
const LAST_MS = 3000;

export class SpanShipping {
  readonly #target: OtlpTarget;
  readonly #sender: OtlpSender;
  readonly #counters: AgentCounters;

  /** @throws TypeError with a sentence for settings of the environment that cannot be used */
  constructor(settings: { url: string; headers: Readonly<Record<string, string>> }, counters: AgentCounters) {
    this.#target = otlpTarget(settings);
    this.#sender = new OtlpSender(this.#target);
    this.#counters = counters;
  }

  /** Returns the feed that takes a process's events as they come. */
  feed(resource: Resource): LiveFeed {
    return (trace) => this.#feedOf(trace, resource).run();
  }

  /**
   * Sends what is in a file.
   *
   * @param feed of the files before it, in which activities may have begun
   * @returns the feed for the files after it
   * @throws TraceError
   */
  async send(file: string, resource: Resource, feed?: OtlpFeed): Promise<OtlpFeed> {
    const trace = await openTrace(file, { onDamage: 'warning' });
    const sending = feed ?? this.#feedOf(trace, resource);
    await sending.take(trace.batches());
    return sending;
  }

  #feedOf(trace: LiveTrace, resource: Resource): OtlpFeed {
    return new OtlpFeed({ trace, target: this.#target, sender: this.#sender, resource });
  }

  /** Brings the counters up to date. */
  count(): void {
    const { sent, dropped } = this.#sender.result;
    this.#counters.spansSent = sent;
    for (const [reason, spans] of Object.entries(dropped)) {
      this.#counters.spansDropped.add(reason, spans - this.#counters.spansDropped.get(reason));
    }
  }

  async close(): Promise<void> {
    await this.#sender.close(LAST_MS);
    this.count();
  }
}

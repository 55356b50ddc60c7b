/**
 * Sends the activities of sessions and of files to an OpenTelemetry collector, as spans, and the CPU samples of sessions
 * as profiles.
 */

import { otlpProfiles } from '../export/exporters.ts';
import { exportedTrace, OtlpFeed } from '../export/otlp-feed.ts';
import { OtlpSender, type OtlpTarget } from '../export/otlp-sender.ts';
import { otlpTarget } from '../export/otlp-settings.ts';
import { openTrace } from '../trace/open-trace.ts';
import type { AgentCounters, LabelledNumbers } from './agent-counters.ts';
import type { LiveFeed } from './attachment.ts';
import type { Resource } from './process-resource.ts';

/** What goes to the collector of a session. */
interface Sent {
  readonly spans: boolean;
  readonly profiles: boolean;
}

/** How long the last spans may take when the agent ends. */
const LAST_MS = 3000;

export class OtlpShipping {
  readonly #target: OtlpTarget;
  readonly #sender: OtlpSender;
  readonly #profileTarget: OtlpTarget;
  readonly #profileSender: OtlpSender;
  readonly #counters: AgentCounters;

  /** @throws TypeError with a sentence for settings of the environment that cannot be used */
  constructor(settings: { url: string; headers: Readonly<Record<string, string>> }, counters: AgentCounters) {
    this.#target = otlpTarget(settings);
    this.#sender = new OtlpSender(this.#target);
    this.#profileTarget = otlpTarget(settings, process.env, 'PROFILES');
    this.#profileSender = new OtlpSender(this.#profileTarget);
    this.#counters = counters;
  }

  /** Returns the feed that takes a process's events as they come. */
  feed(resource: Resource, sent: Sent): LiveFeed {
    return async (trace) => {
      const { encoding } = this.#profileTarget;
      const profiles = sent.profiles
        ? {
            exporter: await otlpProfiles(encoding, exportedTrace(trace, resource), {}, sent.spans),
            sender: this.#profileSender,
          }
        : undefined;
      const sender = sent.spans ? this.#sender : undefined;
      await new OtlpFeed({ trace, target: this.#target, sender, resource, profiles }).run();
    };
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
    const sending = feed ?? new OtlpFeed({ trace, target: this.#target, sender: this.#sender, resource });
    await sending.take(trace.batches());
    return sending;
  }

  /** Brings the counters up to date. */
  count(): void {
    const counters = this.#counters;
    counters.spansSent = countInto(counters.spansDropped, this.#sender);
    counters.profilesSent = countInto(counters.profilesDropped, this.#profileSender);
  }

  async close(): Promise<void> {
    await Promise.all([this.#sender.close(LAST_MS), this.#profileSender.close(LAST_MS)]);
    this.count();
  }
}

/** @returns how many were sent */
function countInto(all: LabelledNumbers, { result: { sent, dropped } }: OtlpSender): number {
  for (const [reason, count] of Object.entries(dropped)) all.add(reason, count - all.get(reason));
  return sent;
}

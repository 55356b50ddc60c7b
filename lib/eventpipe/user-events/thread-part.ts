/** What a session of user_events has at work on one thread: it takes that thread's sources, as they come. */
import type { UserEventsProvider } from '../../wire/diagnostics-ipc/tracing.ts';
import { TracedProvider } from './traced-provider.ts';
import type { TracepointWriter } from './tracepoint-event.ts';
import { tracepointNames } from './tracepoints.ts';

export class ThreadPart {
  readonly #providers: readonly TracedProvider[];

  constructor(providers: readonly UserEventsProvider[], tracer: TracepointWriter) {
    const names = tracepointNames(providers);
    this.#providers = providers.map((provider) => new TracedProvider(provider, names, tracer));
    for (const provider of this.#providers) provider.start();
  }

  end(): void {
    for (const provider of this.#providers) provider.end();
  }
}

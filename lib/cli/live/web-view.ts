/** What `live --web` and `collect --web` load: shows events in the browser as they come. */
import { openTrace } from '../../trace/open-trace.ts';
import type { Trace } from '../../trace/trace.ts';
import { LiveFeed, type LiveSource } from '../../view/live/live-feed.ts';
import { LiveServer } from '../../view/live/live-server.ts';
import type { CollectionDestination } from '../collect/collection.ts';
import { say } from '../messages.ts';
import type { FilteredEvents } from '../trace/filtered-events.ts';

/** Shows one recording until it ends. @returns the number of events shown */
export async function showInBrowser(name: string, trace: Trace, wanted: FilteredEvents): Promise<number> {
  const feed = new LiveFeed();
  const server = await openServer(feed);
  try {
    const source = feed.open(name, trace);
    await take(source, trace, wanted);
    return source.eventCount;
  } finally {
    await server.close();
  }
}

/** A view of all processes that are collected. */
export async function webDestination(): Promise<CollectionDestination> {
  const feed = new LiveFeed();
  const server = await openServer(feed);
  return {
    async take(stream, processName) {
      const trace = await openTrace(stream, { onDamage: 'warning' });
      await take(feed.open(processName, trace), trace);
    },
    async end() {
      await server.close();
      return undefined;
    },
  };
}

async function take(source: LiveSource, trace: Trace, wanted?: FilteredEvents): Promise<void> {
  try {
    for await (const batch of trace.batches()) {
      for (const event of batch) if (wanted?.has(event) ?? true) source.add(event);
    }
  } finally {
    source.end();
  }
}

async function openServer(feed: LiveFeed): Promise<LiveServer> {
  const server = await LiveServer.open(feed);
  say(`Events are shown at ${server.url}`);
  return server;
}

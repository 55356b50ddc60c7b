/** `tracewright counters`: shows the counters of a process as it reports them, through its diagnostic port. */

import { DiagnosticsClientError } from '../../diagnostics/client/client-error.ts';
import type { DiagnosticsClient } from '../../diagnostics/client/diagnostics-client.ts';
import type { TracingSession } from '../../diagnostics/client/tracing-session.ts';
import { wrongCaseOf } from '../../known/automatic.ts';
import { openTrace } from '../../trace/open-trace.ts';
import { METRICS_PROVIDER } from '../../view/counter-values.ts';
import {
  type StreamingTracing,
  streamingTracing,
  type TracingProvider,
} from '../../wire/diagnostics-ipc/tracing.ts';
import { TraceError } from '../../wire/trace-error.ts';
import { durationArgument, given } from '../argument-values.ts';
import { BUFFER_MEGABYTES } from '../collect/collect.ts';
import { readSession, TARGET_USAGE, targetArguments, withTarget } from '../collect/target-argument.ts';
import { say } from '../messages.ts';
import { UsageError } from '../parse-options.ts';
import { hasTerminal } from '../terminal/terminal-page.ts';
import { CounterFeed } from './counter-feed.ts';
import { CounterLines } from './counter-lines.ts';
import { CounterTable } from './counter-table.ts';

/** Those of dotnet-counters, and one that only Node.js has. */
const DEFAULT_PROVIDERS = 'System.Runtime,Microsoft.AspNetCore.Hosting,Node.Runtime';

export const COUNTERS_USAGE = `Usage: tracewright counters [OPTION]... -p PID
       tracewright counters [OPTION]... -- COMMAND [ARGUMENT]...

Shows the counters (EventCounters and meters) of a .NET or Node.js process as it reports them: on a terminal as a
table, otherwise one line per value. Ends with Ctrl-C, after --duration, or when the process exits. For a process that
was already running, the table is a page with keys: q closes it, s sorts it, / filters it, arrows and page keys scroll.
Counters are read from COMMAND, or from the first .NET or Node.js process that it starts; its output goes to stderr.

${TARGET_USAGE}  --provider NAME,...       event sources and meters; can be repeated (${DEFAULT_PROVIDERS})
  --interval TIME           between values (1s)
  --duration TIME           stops after this time, such as 10s or 5min
  --json                    one JSON object per line and value
`;

const INFORMATIONAL = 4;
/** This keyword of System.Diagnostics.Metrics selects the values of meters. */
const TIME_SERIES_VALUES = 2n;
/**
 * The defaults of dotnet-counters (--maxTimeSeries, --maxHistograms). .NET's MetricsEventSource refuses a tool that
 * joins the shared session with values other than the first tool's, so ours must match.
 */
const MAX_TIME_SERIES = 1000;
const MAX_HISTOGRAMS = 10;
/** The first version of .NET in which several tools can share the meters, through a session of this name. */
const FIRST_SHARING_VERSION = 8;
const SHARED_SESSION = 'SHARED';
const MIN_INTERVAL_MS = 100;
/** A shorter trace cannot even be recognised as one. */
const LEAST_TRACE_SIZE = 8;

/** @throws UsageError, DiagnosticsClientError, TraceError */
export async function countersCommand(args: readonly string[]): Promise<number> {
  const values = targetArguments('counters', COUNTERS_USAGE, args, {
    provider: { type: 'string', multiple: true },
    interval: { type: 'string' },
    duration: { type: 'string' },
    json: { type: 'boolean' },
  });
  if (values === undefined) return 0;
  const names = namesArgument(values.provider?.join() ?? DEFAULT_PROVIDERS);
  const interval = durationArgument('--interval', values.interval ?? '1s', MIN_INTERVAL_MS) / 1000;
  const duration = given(durationArgument, '--duration', values.duration);
  return withTarget({ ...values, commandOutput: 'stderr' }, async (target, stop) => {
    const sessionId = await meterSessionOf(target.client);
    const session = await target.client.collectTracing(tracingOf(names, interval, sessionId));
    const isTable = process.stdout.isTTY === true && values.json !== true;
    // Keys are input for a command that we started.
    const isPage = isTable && hasTerminal() && values.command.length === 0;
    const view = isTable
      ? new CounterTable(isPage ? () => stop.stop() : undefined)
      : new CounterLines(values.json === true);
    const feed = new CounterFeed(view, sessionId, interval);
    try {
      await readSession(session, target, stop, duration, () => readEvents(session, feed));
    } finally {
      await view.end();
    }
    if (!session.isStopped) say(`${target.name} has ended.`);
  });
}

function tracingOf(names: readonly string[], interval: number, sessionId: string): StreamingTracing {
  const eventCounters = names.map((name) => providerOf(name, 0n, `EventCounterIntervalSec=${interval}`));
  const meters = providerOf(
    METRICS_PROVIDER,
    TIME_SERIES_VALUES,
    [
      `SessionId=${sessionId}`,
      `Metrics=${names.join(',')}`,
      `RefreshInterval=${interval}`,
      `MaxTimeSeries=${MAX_TIME_SERIES}`,
      `MaxHistograms=${MAX_HISTOGRAMS}`,
      `ClientId=${crypto.randomUUID()}`,
    ].join(';'),
  );
  return streamingTracing({
    bufferMegabytes: BUFFER_MEGABYTES,
    providers: [...eventCounters, meters],
  });
}

function providerOf(name: string, keywords: bigint, values: string): TracingProvider {
  return { name, keywords, level: INFORMATIONAL, arguments: values };
}

/** The session of meters that all tools can join, if the runtime supports it; otherwise a private one. */
async function meterSessionOf(client: DiagnosticsClient): Promise<string> {
  try {
    const { productVersion = '' } = await client.processInfo();
    return Number.parseInt(productVersion, 10) >= FIRST_SHARING_VERSION
      ? SHARED_SESSION
      : crypto.randomUUID();
  } catch (error) {
    if (!(error instanceof DiagnosticsClientError && error.code === 'unsupported')) throw error;
    return crypto.randomUUID();
  }
}

/** The events as they arrive. A truncated end is not an error if the process has exited. */
async function readEvents(session: TracingSession, feed: CounterFeed): Promise<void> {
  let bytes = 0;
  async function* counted(): AsyncGenerator<Uint8Array> {
    for await (const chunk of session.stream) {
      bytes += chunk.length;
      yield chunk;
    }
  }
  try {
    const trace = await openTrace(counted());
    for await (const batch of trace.batches()) await feed.take(batch);
  } catch (error) {
    const isCut = error instanceof TraceError && error.code === 'truncated' && !session.isStopped;
    if (!isCut && bytes >= LEAST_TRACE_SIZE) throw error;
  }
}

function namesArgument(text: string): string[] {
  const names = text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  const wrong = names.find((name) => name.includes(';') || name.includes('='));
  for (const problem of names.flatMap((name) => wrongCaseOf(name) ?? [])) {
    throw new UsageError(`--provider: ${problem}`);
  }
  if (names.length > 0 && wrong === undefined) return names;
  throw new UsageError(`--provider takes names of event sources and meters, not "${wrong ?? text}".`);
}

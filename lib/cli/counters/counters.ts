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
import { duration } from '../argument-values.ts';
import { BUFFER_MEGABYTES } from '../collect/collect.ts';
import { readSession, TARGET_OPTIONS, withTarget } from '../collect/target-argument.ts';
import { CommandLine } from '../command-line.ts';
import { say } from '../messages.ts';
import { flag, UsageError, ValueKind } from '../parse-options.ts';
import { hasTerminal } from '../terminal/terminal-page.ts';
import { CounterFeed } from './counter-feed.ts';
import { CounterLines } from './counter-lines.ts';
import { CounterTable } from './counter-table.ts';

/** dotnet-counters has the same defaults, without the last, which only Node.js has. */
const DEFAULT_PROVIDERS = ['System.Runtime', 'Microsoft.AspNetCore.Hosting', 'Node.Runtime'];

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
const DEFAULT_INTERVAL_MS = 1000;
/** A shorter trace cannot even be recognised as one. */
const LEAST_TRACE_SIZE = 8;

/** Names of event sources and meters. */
const NAMES = new ValueKind('NAME,...', 'names of event sources and meters', (given) => {
  const names = given
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  for (const problem of names.flatMap((name) => wrongCaseOf(name) ?? [])) {
    throw new UsageError(`--provider: ${problem}`);
  }
  return names.length === 0 || names.some((name) => /[;=]/.test(name)) ? undefined : names;
});

export const commandLine = new CommandLine(
  'counters',
  ['[OPTION]... -p PID', '[OPTION]... -- COMMAND [ARGUMENT]...'],
  [
    `Shows the counters (EventCounters and meters) of a .NET or Node.js process as it reports them: on a terminal as a
    table, otherwise one line per value. Ends with Ctrl-C, after --duration, or when the process exits. For a process that
    was already running, the table is a page with keys: q closes it, s sorts it, / filters it, arrows and page keys
    scroll. Counters are read from COMMAND, or from the first .NET or Node.js process that it starts; its output goes to
    stderr.`,
    TARGET_OPTIONS,
    {
      provider: NAMES.repeated(`event sources and meters, by default ${DEFAULT_PROVIDERS.join(', ')}`),
      interval: duration(MIN_INTERVAL_MS).option('between values (1s)'),
      duration: duration().option('stops after this time, such as 10s or 5min'),
      json: flag('one JSON object per line and value'),
    },
  ],
);

/** @throws UsageError, DiagnosticsClientError, TraceError */
export async function run(args: readonly string[]): Promise<number> {
  const given = commandLine.command(args);
  if (given === undefined) return 0;
  const { values, command } = given;
  const names = values.provider?.flat() ?? DEFAULT_PROVIDERS;
  const interval = (values.interval ?? DEFAULT_INTERVAL_MS) / 1000;
  return withTarget({ ...values, command, commandOutput: 'stderr' }, async (target, stop) => {
    const sessionId = await meterSessionOf(target.client);
    const session = await target.client.collectTracing(tracingOf(names, interval, sessionId));
    const isTable = process.stdout.isTTY === true && values.json !== true;
    // Keys are input for a command that we started.
    const isPage = isTable && hasTerminal() && command.length === 0;
    const view = isTable
      ? new CounterTable(isPage ? () => stop.stop() : undefined)
      : new CounterLines(values.json === true);
    const feed = new CounterFeed(view, sessionId, interval);
    try {
      await readSession(session, target, stop, values.duration, () => readEvents(session, feed));
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

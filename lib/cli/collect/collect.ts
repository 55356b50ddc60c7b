/** `tracewright collect`: records the events of a process into a .nettrace file, through its diagnostic port. */

import type { ExportFormat } from '../../export/exporters.ts';
import { ACTIVITY_CODE, ACTIVITY_RUNS, CHARGES, SAMPLES } from '../../known/session-requests.ts';
import {
  DEFAULT_RUNDOWN_KEYWORD,
  FLIGHT_RECORDER,
  StreamFormat,
} from '../../wire/diagnostics-ipc/constants.ts';
import {
  type StreamingTracing,
  streamingTracing,
  type TracingProvider,
} from '../../wire/diagnostics-ipc/tracing.ts';
import { choice, duration, FILE, FOLDER, size, text } from '../argument-values.ts';
import { CommandLine } from '../command-line.ts';
import { profileFormat } from '../export/export-format.ts';
import { flag, type OptionRows, type OptionValues, UsageError } from '../parse-options.ts';
import { sessionProviders } from '../trace/provider-argument.ts';
import { type CollectionDestination, type CollectionOptions, collect } from './collection.ts';
import { TARGET_OPTIONS } from './target-argument.ts';

const OPTIONS = {
  output: FILE.option(
    `the file; by default named after the process and the time. A name that ends with .pb.gz, .cpuprofile or
      .profiles.jsonl has a profile of the CPU written, as "tracewright export" does, without a .nettrace; this means
      --cpu`,
    { short: 'o' },
  ),
  provider: text('PROVIDER,...', 'names of providers').repeated(`Name:Keywords:Level:key=value;key=value, as
      for dotnet-trace: keywords are hex, of Node.Runtime also names (GC+Heap), and default to all; level is a
      number or a name and defaults to Verbose. The default is all events of all providers, which for .NET are
      very many, and what "tracewright explain" needs of Node.js`),
  ring: flag('what the flight recorder of a Node.js process has in memory, and nothing later'),
  cpu: flag(`also samples what the CPU does, with stacks, and for which activity; of Node.js, only JavaScript
      on the main thread; COMMAND is sampled without --provider, too`),
  duration: duration().option('stops after this time, such as 10s or 5min, and ends COMMAND, too'),
  'max-size': size().option(`stops when all files together approach this size, such as 64MB, which they never
      exceed`),
  'nettrace-version': choice('4|6', { 4: StreamFormat.NetTrace, 6: StreamFormat.NetTrace6 }).option(`the
      nettrace version (4); .NET writes only version 4`),
  otlp: text('URL', 'the URL of an OpenTelemetry collector').option(`instead of a file: sends activities as
      spans, as they end, to an OpenTelemetry collector (http://localhost:4318), with the OTEL_EXPORTER_OTLP_*
      variables for headers and the rest; with --cpu also profiles, every 10 s`),
  parquet: FOLDER.option(`instead of a file: tables in a folder of Parquet files, as "tracewright export
      --parquet" writes them; complete files with the events so far appear meanwhile`),
  'parquet-every': duration().option('how often (60s)'),
  'parquet-size': size().option('how large a file gets, approximately (128MB)'),
  service: text('NAME', 'the name of a service').option(`the service in these tables; by default, the name of
      each process`),
  web: flag(`instead of a file: shows events in the browser as they come, running activities, durations, and a
      report of the last events`),
} as const satisfies OptionRows;

export const commandLine = new CommandLine(
  'collect',
  ['[OPTION]... -p PID', '[OPTION]... -- COMMAND [ARGUMENT]...'],
  [
    `Records the events of a .NET or Node.js process into a .nettrace file for "tracewright", PerfView and other tools:
    until Ctrl-C, for --duration, or until the process exits. COMMAND is recorded from its first event; each process that
    it starts gets a file of its own.`,
    TARGET_OPTIONS,
    OPTIONS,
    'A Node.js COMMAND need not open its diagnostic port: NODE_OPTIONS makes it do so.',
  ],
);

/** dotnet-trace has the same default. */
export const BUFFER_MEGABYTES = 256;

/** @throws UsageError, DiagnosticsClientError */
export async function run(args: readonly string[]): Promise<number> {
  const given = commandLine.command(args);
  if (given === undefined) return 0;
  const { values, command } = given;
  const { output, provider, ring = false } = values;
  const profile = output === undefined ? undefined : profileFormat(output);
  const cpu = values.cpu === true || profile !== undefined;
  if (ring && (provider !== undefined || cpu)) {
    throw new UsageError(
      '--ring collects the events that the flight recorder has: it takes no --provider, --cpu or profile.',
    );
  }
  const destination = await destinationArgument(values);
  const isExplained = provider === undefined && (destination === undefined || values.web === true);
  // What somebody starts to look at it may be slowed down a little; what already runs may be in production.
  const isStudied = isExplained && command.length > 0;
  const isSampled = cpu || isStudied;
  const asked = sessionProviders(provider, {}, true);
  const providers = ring
    ? sessionProviders([FLIGHT_RECORDER], {}, false)
    : [
        ...asked,
        ...(isSampled ? [SAMPLES, ...CHARGES] : []),
        ...(isExplained ? [ACTIVITY_RUNS] : []),
        ...(isStudied ? [ACTIVITY_CODE] : []),
      ];
  return collect({
    target: { ...values, command },
    tracing: tracingOf(providers, values['nettrace-version']),
    file: output,
    write: profile && (await profileWriter(profile)),
    duration: values.duration,
    maxSize: values['max-size'],
    isRing: ring,
    asked: provider === undefined ? [] : asked.map(({ name }) => name).filter((name) => name !== '*'),
    destination,
  });
}

/** Everything that the providers' events contain. */
export function tracingOf(
  providers: readonly TracingProvider[],
  format: number = StreamFormat.NetTrace,
): StreamingTracing {
  return streamingTracing({
    bufferMegabytes: BUFFER_MEGABYTES,
    format,
    // Lets .NET's tools name the methods in stacks.
    rundownKeyword: DEFAULT_RUNDOWN_KEYWORD,
    providers,
  });
}

type Values = OptionValues<typeof OPTIONS>;

const PARQUET_INTERVAL_MS = 60_000;

async function destinationArgument(values: Values): Promise<CollectionDestination | undefined> {
  const { otlp, cpu, parquet, service, web } = values;
  const [chosen, other] = (['otlp', 'parquet', 'web'] as const).filter((name) => values[name] !== undefined);
  if (chosen !== undefined) refuse(values, ['output', 'max-size'], `--${chosen} writes no single file`);
  if (other !== undefined) throw new UsageError(`--${chosen} and --${other} cannot be given together.`);
  if (otlp !== undefined) return (await import('./span-destination.ts')).spanDestination(otlp, cpu === true);
  if (web === true) return (await import('../live/web-view.ts')).webDestination();
  if (parquet === undefined) {
    refuse(values, ['parquet-every', 'parquet-size', 'service'], '--parquet DIR is missing');
    return undefined;
  }
  const { 'parquet-every': interval = PARQUET_INTERVAL_MS, 'parquet-size': maxFileSize } = values;
  const { parquetDestination } = await import('./parquet-destination.ts');
  return parquetDestination({ folder: parquet, service, interval, maxFileSize });
}

/** Loads what a profile needs, and nothing else does. */
async function profileWriter(format: ExportFormat): Promise<CollectionOptions['write']> {
  const { writeProfile } = await import('./profile-destination.ts');
  return (stream, output) => writeProfile(stream, output, format);
}

function refuse(values: Values, names: readonly (keyof Values)[], why: string): void {
  const name = names.find((each) => values[each] !== undefined);
  if (name !== undefined) throw new UsageError(`${why}: --${name} cannot be given.`);
}

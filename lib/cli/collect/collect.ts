/** `tracewright collect`: records the events of a process into a .nettrace file, through its diagnostic port. */

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
import { durationArgument, given, sizeArgument } from '../argument-values.ts';
import { type ProfileFormat, profileFormat } from '../export/profile-format.ts';
import { UsageError } from '../parse-options.ts';
import { ACTIVITY_RUNS, ACTIVITY_SWITCHES, sessionProviders, TASKS } from '../trace/provider-argument.ts';
import { type CollectionDestination, type CollectionOptions, collect } from './collection.ts';
import { TARGET_USAGE, targetArguments } from './target-argument.ts';

export const COLLECT_USAGE = `Usage: tracewright collect [OPTION]... -p PID
       tracewright collect [OPTION]... -- COMMAND [ARGUMENT]...

Records the events of a .NET or Node.js process into a .nettrace file for "tracewright", PerfView and other tools: until
Ctrl-C, for --duration, or until the process exits. COMMAND is recorded from its first event; each process that it
starts gets a file of its own.

${TARGET_USAGE}  -o, --output FILE         the file; by default named after the process and the time. A name that ends with .pb.gz,
                            .cpuprofile or .profiles.jsonl has a profile of the CPU written, as "tracewright export"
                            does, without a .nettrace; this means --cpu
  --provider PROVIDER,...   Name:Keywords:Level:key=value;key=value, as for dotnet-trace: keywords are hex, of
                            Node.Runtime also names (GC+Heap), and default to all; level is a number or a name and defaults to Verbose; can be repeated.
                            The default is all events of all providers, which for .NET are very many, and what
                            "tracewright explain" needs of Node.js
  --ring                    what the flight recorder of a Node.js process has in memory, and nothing later
  --cpu                     also samples what the CPU does, with stacks, and for which activity; of Node.js, only
                            JavaScript on the main thread; COMMAND is sampled without --provider, too
  --duration TIME           stops after this time, such as 10s or 5min, and ends COMMAND, too
  --max-size SIZE           stops when all files together approach this size, such as 64MB, which they never
                            exceed
  --nettrace-version 4|6    the nettrace version (4); .NET writes only version 4
  --otlp URL                instead of a file: sends activities as spans, as they end, to an OpenTelemetry collector
                            (http://localhost:4318), with the OTEL_EXPORTER_OTLP_* variables for headers and the rest;
                            with --cpu also profiles, every 10 s
  --parquet DIR             instead of a file: tables in a folder of Parquet files, as "tracewright export --parquet"
                            writes them; complete files with the events so far appear meanwhile
  --parquet-every TIME      how often (60s)
  --parquet-size SIZE       how large a file gets, approximately (128MB)
  --service NAME            the service in these tables; by default, the name of each process
  --web                     instead of a file: shows events in the browser as they come, running activities, durations,
                            and a report of the last events

A Node.js COMMAND need not open its diagnostic port: NODE_OPTIONS makes it do so.
`;

/** The value is the version of nettrace. */
const STREAM_FORMATS: Readonly<Record<string, number>> = {
  4: StreamFormat.NetTrace,
  6: StreamFormat.NetTrace6,
};
const INFORMATIONAL = 4;
/** Requests for every provider include neither samples, nor activity switches, runs and tasks. */
const SAMPLES: TracingProvider = {
  name: 'Microsoft-DotNETCore-SampleProfiler',
  keywords: 0n,
  level: INFORMATIONAL,
  arguments: '',
};
/** dotnet-trace has the same default. */
export const BUFFER_MEGABYTES = 256;

/** @throws UsageError, DiagnosticsClientError */
export async function collectCommand(args: readonly string[]): Promise<number> {
  const values = targetArguments('collect', COLLECT_USAGE, args, {
    output: { type: 'string', short: 'o' },
    provider: { type: 'string', multiple: true },
    cpu: { type: 'boolean' },
    ring: { type: 'boolean' },
    duration: { type: 'string' },
    'max-size': { type: 'string' },
    'nettrace-version': { type: 'string' },
    otlp: { type: 'string' },
    parquet: { type: 'string' },
    'parquet-every': { type: 'string' },
    'parquet-size': { type: 'string' },
    service: { type: 'string' },
    web: { type: 'boolean' },
  });
  if (values === undefined) return 0;
  const { output, provider, ring = false, duration } = values;
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
  const isSampled = cpu || (isExplained && values.command.length > 0);
  const asked = sessionProviders(provider, {}, true);
  const providers = ring
    ? sessionProviders([FLIGHT_RECORDER], {}, false)
    : [
        ...asked,
        ...(isSampled ? [SAMPLES, ACTIVITY_SWITCHES, TASKS] : []),
        ...(isExplained ? [ACTIVITY_RUNS] : []),
      ];
  return collect({
    target: values,
    tracing: tracingOf(providers, streamFormat(values['nettrace-version'] ?? '4')),
    file: output,
    write: profile && (await profileWriter(profile)),
    duration: given(durationArgument, '--duration', duration),
    maxSize: given(sizeArgument, '--max-size', values['max-size']),
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

interface DestinationValues {
  readonly otlp?: string | undefined;
  readonly cpu?: boolean | undefined;
  readonly parquet?: string | undefined;
  readonly 'parquet-every'?: string | undefined;
  readonly 'parquet-size'?: string | undefined;
  readonly service?: string | undefined;
  readonly web?: boolean | undefined;
  readonly output?: string | undefined;
  readonly 'max-size'?: string | undefined;
}

const PARQUET_INTERVAL_MS = 60_000;

async function destinationArgument(values: DestinationValues): Promise<CollectionDestination | undefined> {
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
  const interval = given(durationArgument, '--parquet-every', values['parquet-every']) ?? PARQUET_INTERVAL_MS;
  const maxFileSize = given(sizeArgument, '--parquet-size', values['parquet-size']);
  const { parquetDestination } = await import('./parquet-destination.ts');
  return parquetDestination({ folder: parquet, service, interval, maxFileSize });
}

/** Loads what a profile needs, and nothing else does. */
async function profileWriter(format: ProfileFormat): Promise<CollectionOptions['write']> {
  const { writeProfile } = await import('../export/profile-exporter.ts');
  return (stream, output) => writeProfile(stream, output, format);
}

function refuse(values: DestinationValues, names: readonly (keyof DestinationValues)[], why: string): void {
  const name = names.find((each) => values[each] !== undefined);
  if (name !== undefined) throw new UsageError(`${why}: --${name} cannot be given.`);
}

function streamFormat(version: string): number {
  const format = Object.hasOwn(STREAM_FORMATS, version) ? STREAM_FORMATS[version] : undefined;
  if (format !== undefined) return format;
  throw new UsageError(`--nettrace-version takes 4 or 6, not "${version}".`);
}

/** `tracewright export FILE`: converts a trace to a format for other tools. */

import { type Exporter, exportedTrace } from '../../export/exporter.ts';
import { EXPORTERS, type ExporterOptions } from '../../export/exporters.ts';
import type { Trace } from '../../trace/trace.ts';
import type { TraceEvent } from '../../trace/trace-event.ts';
import { countText, dataSize } from '../../view/number-text.ts';
import { TraceError } from '../../wire/trace-error.ts';
import { choice, FOLDER, text } from '../argument-values.ts';
import { CommandLine } from '../command-line.ts';
import { type CommandOutput, withOutput, withTemporaries } from '../command-output.ts';
import { InterruptedError, untilInterrupted } from '../interruption.ts';
import { say, warn } from '../messages.ts';
import { flag, type OptionRows, type OptionValues, UsageError } from '../parse-options.ts';
import { eventFilter, FILTER_OPTIONS } from '../trace/event-filter.ts';
import { FilteredEvents } from '../trace/filtered-events.ts';
import { FRAME_OPTIONS, frameFolders } from '../trace/frame-options.ts';
import { readWithProgress, TRACE_OPTIONS } from '../trace/trace-argument.ts';
import {
  closeTraceFiles,
  FILES_HELP,
  fileNames,
  filesText,
  openTraceFiles,
  type TraceFiles,
} from '../trace/trace-files.ts';
import { encodedFormat, type Format, formatOfFile } from './export-format.ts';

const FORMATS = {
  perfetto: `(.pftrace) for ui.perfetto.dev and trace_processor: activities as slices, other events as instants, counters
    and CPU samples`,
  speedscope: '(.speedscope.json) activities and CPU samples, for speedscope.app',
  csv: '(.csv) one line per event, for spreadsheets and databases',
  pprof: '(.pb.gz, .pprof) CPU samples with their activities, for pprof, Pyroscope and others',
  cpuprofile: '(.cpuprofile) CPU samples of one thread, for DevTools and VS Code',
  otlp: `(.jsonl, .otlp.json; .pb for protobuf) activities as OpenTelemetry spans, for Jaeger and collectors`,
  'otlp-profiles': `(.profiles.jsonl; .profiles.pb for protobuf) CPU samples as OpenTelemetry profiles, linked to these
    spans`,
  nettrace: '(.nettrace) for PerfView, dotnet-trace and other tools that read nettrace',
} as const satisfies Readonly<Record<Format, string>>;
/** These name the frames of stacks. */
const NAMING_FORMATS: ReadonlySet<Format> = new Set([
  'speedscope',
  'perfetto',
  'pprof',
  'cpuprofile',
  'otlp-profiles',
]);

const FORMAT = choice(
  'FORMAT',
  Object.fromEntries((Object.keys(FORMATS) as Format[]).map((format) => [format, format])),
);

const OPTIONS = {
  output: text('OUT', 'a file').option('the file to write; - is standard output', { short: 'o' }),
  format: FORMAT.option('by default, the format follows from the extension of OUT:', {
    terms: Object.entries(FORMATS),
  }),
  parquet: FOLDER.option(`instead of a file: tables in a folder of Parquet files, by date and service, for
      DuckDB, ClickHouse, Spark and others; several traces can share the folder`),
  service: text('NAME', 'the name of a service').option(`parquet: the service; by default, the names of the
      processes`),
  flatten: flag('csv: one column per field instead of the payload as JSON; reads FILE twice'),
  'nettrace-version': choice('6|4', { 6: 6, 4: 4 } as const).option(`nettrace: 6 (the default), or 4 for tools
      before .NET 10; 4 has one process and no labels`),
} as const satisfies OptionRows;

export const commandLine = new CommandLine(
  'export',
  ['[OPTION]... FILE... -o OUT', '[OPTION]... FILE... --parquet DIR'],
  [
    `Converts FILE to a format for other tools.`,
    FILES_HELP,
    OPTIONS,
    'For speedscope, perfetto, parquet and profiles:',
    FRAME_OPTIONS,
    'Which events, and how they are read:',
    FILTER_OPTIONS,
    TRACE_OPTIONS,
  ],
);

type Values = OptionValues<
  typeof OPTIONS & typeof FRAME_OPTIONS & typeof FILTER_OPTIONS & typeof TRACE_OPTIONS
>;

/** @throws UsageError; TraceError and InterruptedError after the events read so far have been written */
export async function run(args: readonly string[]): Promise<void> {
  const given = commandLine.files(args);
  if (given === undefined) return;
  const { files, values } = given;
  const { output } = values;
  if (values.parquet !== undefined) return exportFolder(files, values.parquet, values);
  if (values.service !== undefined) throw new UsageError('--service is for --parquet.');
  if (output === undefined) {
    throw new UsageError('export needs -o OUT, the file to write, or --parquet DIR, the folder.');
  }
  const events = new FilteredEvents(values);
  const format = formatOf(output, values);
  const options = await exporterOptions(format, files, values);
  const trace = await openTraceFiles(files, values);
  const name = fileNames(files);
  const loadExporter = EXPORTERS[encodedFormat(format, output)];
  const exporter = await loadExporter(exportedTrace(trace, name), options);
  let size: number | undefined;
  const failure = await withOutput(output, async (out) => {
    const problem = await writeExport(trace, files, events, exporter, out);
    size = out.size;
    return problem;
  }).finally(() => trace.close());
  for (const notice of exporter.notices) warn(notice);
  if (failure instanceof InterruptedError) {
    throw new Error(`Interrupted: ${nameOf(output)} has the events read so far.`);
  }
  const emptiness = events.emptiness(filesText(files));
  if (emptiness !== undefined) warn(emptiness);
  if (size !== undefined) {
    const counted = countText(events.count, 'event');
    const contents = exporter.contents === undefined ? counted : `${exporter.contents} from ${counted}`;
    say(`Exported ${contents} into ${output}${size === 0 ? ', which is empty' : ` (${dataSize(size)})`}.`);
  }
  if (failure !== undefined) throw failure;
}

/** @throws like `run` */
async function exportFolder(files: TraceFiles, folder: string, values: Values): Promise<void> {
  for (const name of ['output', 'format', 'flatten', 'nettrace-version'] as const) {
    if (values[name] !== undefined)
      throw new UsageError(`--parquet writes a folder: --${name} is not for it.`);
  }
  const events = new FilteredEvents(values);
  const { exportParquet } = await import('./parquet-folder.ts');
  const trace = await openTraceFiles(files, values);
  const source = { trace, events, batches: eventsOf(trace, files) };
  const to = { name: fileNames(files), folder, service: values.service, ...frameFolders(values) };
  await withTemporaries(() => exportParquet(source, to));
  const emptiness = events.emptiness(filesText(files));
  if (emptiness !== undefined) warn(emptiness);
}

/** @returns the error that ends the trace early, after the events before it have been written */
async function writeExport(
  trace: Trace,
  files: TraceFiles,
  events: FilteredEvents,
  exporter: Exporter,
  out: CommandOutput,
): Promise<TraceError | InterruptedError | undefined> {
  let failure: TraceError | InterruptedError | undefined;
  try {
    for await (const batch of eventsOf(trace, files)) {
      for (const event of batch) {
        if (!events.has(event)) continue;
        exporter.add(event);
        if (exporter.isFull) await out.write(exporter.take());
      }
    }
  } catch (error) {
    if (!(error instanceof TraceError || error instanceof InterruptedError)) throw error;
    failure = error;
  }
  for (const piece of exporter.end(trace)) await out.write(piece);
  return failure;
}

function eventsOf(trace: Trace, files: TraceFiles): AsyncIterable<readonly TraceEvent[]> {
  return untilInterrupted(readWithProgress(trace), () => closeTraceFiles(files, trace));
}

async function exporterOptions(format: Format, files: TraceFiles, values: Values): Promise<ExporterOptions> {
  const nettraceVersion = values['nettrace-version'];
  if (nettraceVersion !== undefined && format !== 'nettrace') {
    throw new UsageError(`--nettrace-version is for nettrace, not for ${format}.`);
  }
  if (values.flatten === true && format !== 'csv') {
    throw new UsageError(`--flatten is for csv, not for ${format}.`);
  }
  for (const name of ['symbols', 'source-maps'] as const) {
    if (values[name] !== undefined && !NAMING_FORMATS.has(format)) {
      throw new UsageError(`--${name} is for ${[...NAMING_FORMATS].join(', ')}, not for ${format}.`);
    }
  }
  const columns = values.flatten === true ? await payloadColumns(files, values) : undefined;
  return { ...frameFolders(values), nettraceVersion, columns };
}

function formatOf(output: string, { format: given }: Values): Format {
  const format = given ?? formatOfFile(output);
  if (format !== undefined) return format;
  throw new UsageError(`No format has the extension of ${output}: --format takes ${FORMAT.takes}.`);
}

async function payloadColumns(files: TraceFiles, values: Values): Promise<readonly string[]> {
  if (files.includes('-'))
    throw new UsageError('--flatten reads the trace twice, which is not possible with standard input.');
  const { PayloadColumns } = await import('../../export/csv-export.ts');
  const columns = new PayloadColumns();
  const isWanted = eventFilter(values);
  const trace = await openTraceFiles(files, values, false);
  try {
    for await (const batch of eventsOf(trace, files)) {
      for (const event of batch) if (isWanted(event)) columns.add(event);
    }
  } catch (error) {
    // The second pass also ends there, and reports it.
    if (!(error instanceof TraceError)) throw error;
  }
  return columns.names;
}

function nameOf(output: string): string {
  return output === '-' ? 'standard output' : output;
}

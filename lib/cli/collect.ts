/** `tracewright collect`: the events of a process, by its diagnostic port, into a .nettrace file. */
import { BufferMode, DEFAULT_RUNDOWN_KEYWORD, StreamFormat } from '../wire/diagnostics-ipc/constants.ts';
import type { StreamingTracing, TracingProvider } from '../wire/diagnostics-ipc/tracing.ts';
import { collect } from './collection.ts';
import { sessionProviders } from './provider-argument.ts';
import { durationArgument } from './record-arguments.ts';
import { TARGET_USAGE, targetArguments } from './target-argument.ts';
import { UsageError } from './usage-error.ts';

export const COLLECT_USAGE = `Usage: tracewright collect [OPTION]... -p PID
       tracewright collect [OPTION]... -- COMMAND [ARGUMENT]...

Records the events of a process of .NET, or of Node.js with its diagnostic port open, into a .nettrace file, for
"tracewright", PerfView and other tools: until Ctrl-C, for --duration, or until the process ends. COMMAND is
recorded from its first event on, and each process that it starts into a file of its own.

${TARGET_USAGE}  -o, --output FILE         the file; else it is named by process and time
  --provider PROVIDER,...   Name:Keywords:Level:key=value;key=value of each, as dotnet-trace takes them: keywords
                            in hex, else all; level a number or a name, else Verbose; may be repeated. Without
                            this option, all events of all providers, which of .NET are very many
  --duration SECONDS        ends after so long, and ends COMMAND too
  --max-size MB             ends when the files together have nearly this size, which they never exceed
  --nettrace-version 4|6    the version of nettrace (4); .NET writes version 4 only

A COMMAND of Node.js need not know of tracewright's diagnostic port: it is made to open one, by NODE_OPTIONS.
`;

/** By the version of nettrace. */
const STREAM_FORMATS: Readonly<Record<string, number>> = {
  4: StreamFormat.NetTrace,
  6: StreamFormat.NetTrace6,
};
/** As dotnet-trace has it. */
export const BUFFER_MEGABYTES = 256;

/** @throws UsageError, DiagnosticsClientError */
export async function collectCommand(args: readonly string[]): Promise<void> {
  const values = targetArguments('collect', COLLECT_USAGE, args, {
    output: { type: 'string', short: 'o' },
    provider: { type: 'string', multiple: true },
    duration: { type: 'string' },
    'max-size': { type: 'string' },
    'nettrace-version': { type: 'string' },
  });
  if (values === undefined) return;
  const { output, provider, duration } = values;
  await collect({
    target: values,
    tracing: tracingOf(sessionProviders(provider, {}, true), streamFormat(values['nettrace-version'] ?? '4')),
    file: output,
    duration: durationArgument(duration),
    maxSize: maxSizeArgument(values['max-size']),
  });
}

/** All that there is to say of the providers' events. */
export function tracingOf(
  providers: readonly TracingProvider[],
  format: number = StreamFormat.NetTrace,
): StreamingTracing {
  return {
    sessionType: 'streaming',
    bufferMegabytes: BUFFER_MEGABYTES,
    format,
    // What .NET's tools need to name the methods of stacks.
    rundownKeyword: DEFAULT_RUNDOWN_KEYWORD,
    collectsStacks: true,
    bufferMode: BufferMode.Drop,
    providers,
  };
}

/** @returns bytes */
function maxSizeArgument(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const megabytes = /^\d{1,9}(?:\.\d+)?$/.test(text) ? Number(text) : 0;
  if (megabytes > 0) return Math.ceil(megabytes * 1e6);
  throw new UsageError(`--max-size takes megabytes, not "${text}".`);
}

function streamFormat(version: string): number {
  const format = Object.hasOwn(STREAM_FORMATS, version) ? STREAM_FORMATS[version] : undefined;
  if (format !== undefined) return format;
  throw new UsageError(`--nettrace-version takes 4 or 6, not "${version}".`);
}

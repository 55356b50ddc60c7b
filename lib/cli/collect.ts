/** `tracewright collect`: the events of a process, by its diagnostic port, into a .nettrace file. */
import { BufferMode, DEFAULT_RUNDOWN_KEYWORD, StreamFormat } from '../wire/diagnostics-ipc/constants.ts';
import type { StreamingTracing, TracingProvider } from '../wire/diagnostics-ipc/tracing.ts';
import { collect } from './collection.ts';
import { ALL_PROVIDERS, providersArgument } from './provider-argument.ts';
import { durationArgument } from './record-arguments.ts';
import { TARGET_USAGE, targetArguments } from './target-argument.ts';
import { UsageError } from './usage-error.ts';

const USAGE = `Usage: tracewright collect [OPTION]... -p PID
       tracewright collect [OPTION]... -- COMMAND [ARGUMENT]...

Records the events of a process of .NET, or of Node.js with its diagnostic port open, into a .nettrace file, for
"tracewright", PerfView and other tools: until Ctrl-C, for --duration, or until the process ends. COMMAND is
recorded from its first event on, and each process that it starts into a file of its own.

${TARGET_USAGE}  -o, --output FILE         the file; else it is named by process and time
  --providers PROVIDER,...  of each Name:Keywords:Level:key=value;key=value, as dotnet-trace takes them: keywords
                            in hex, else all; level a number or a name, else Verbose. Without this option, all
                            events of all providers, which of .NET are very many
  --duration SECONDS        ends after so long, and ends COMMAND too
  --format 4|6              the version of nettrace (4); .NET writes version 4 only

A COMMAND of Node.js need not know of tracewright's diagnostic port: it is made to open one, by NODE_OPTIONS.
`;

const FORMATS: Readonly<Record<string, number>> = { 4: StreamFormat.NetTrace, 6: StreamFormat.NetTrace6 };
/** As dotnet-trace has it. */
export const BUFFER_MEGABYTES = 256;

/** @throws UsageError, DiagnosticsClientError */
export async function collectCommand(args: readonly string[]): Promise<void> {
  const values = targetArguments('collect', USAGE, args, {
    output: { type: 'string', short: 'o' },
    providers: { type: 'string' },
    duration: { type: 'string' },
    format: { type: 'string' },
  });
  if (values === undefined) return;
  const { output, providers = ALL_PROVIDERS, format = '4', duration } = values;
  await collect({
    target: values,
    tracing: tracingOf(providersArgument(providers), formatArgument(format)),
    file: output,
    duration: durationArgument(duration),
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

function formatArgument(text: string): number {
  const format = Object.hasOwn(FORMATS, text) ? FORMATS[text] : undefined;
  if (format !== undefined) return format;
  throw new UsageError(`--format takes 4 or 6, not "${text}".`);
}

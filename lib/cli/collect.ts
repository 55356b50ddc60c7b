/** `tracewright collect`: the events of a process, by its diagnostic port, into a .nettrace file. */
import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { DiagnosticsClientError } from '../session/diagnostics/client/client-error.ts';
import type { DiagnosticsClient } from '../session/diagnostics/client/diagnostics-client.ts';
import type { TracingSession } from '../session/diagnostics/client/tracing-session.ts';
import { BufferMode, DEFAULT_RUNDOWN_KEYWORD, StreamFormat } from '../wire/diagnostics-ipc/constants.ts';
import type { StreamingTracing } from '../wire/diagnostics-ipc/tracing.ts';
import { optionArguments } from './file-arguments.ts';
import { megabytes } from './megabytes.ts';
import { processName } from './process-name.ts';
import { ALL_PROVIDERS, providersArgument } from './provider-argument.ts';
import { durationArgument } from './record-arguments.ts';
import {
  type OpenedTarget,
  readSession,
  TARGET_OPTIONS,
  TARGET_USAGE,
  withTarget,
} from './target-argument.ts';
import { UsageError } from './usage-error.ts';

const USAGE = `Usage: tracewright collect [OPTION]... -p PID

Records the events of a .NET process into a .nettrace file, for "tracewright", PerfView and
other tools, until Ctrl-C, for --duration, or until the process ends.

${TARGET_USAGE}  -o, --output FILE         the file; else it is named by process and time
  --providers PROVIDER,...  of each Name:Keywords:Level:key=value;key=value, as dotnet-trace takes them: keywords
                            in hex, else all; level a number or a name, else Verbose. Without this option, all
                            events of all providers, which of .NET are very many
  --duration SECONDS        ends after so long
  --format 4|6              the version of nettrace (4); .NET writes version 4 only
`;

const FORMATS: Readonly<Record<string, number>> = { 4: StreamFormat.NetTrace, 6: StreamFormat.NetTrace6 };
/** As dotnet-trace has it. */
export const BUFFER_MEGABYTES = 256;
const PROGRESS_MS = 200;

/** @throws UsageError, DiagnosticsClientError */
export async function collectCommand(args: readonly string[]): Promise<void> {
  const values = optionArguments('collect', USAGE, args, {
    ...TARGET_OPTIONS,
    output: { type: 'string', short: 'o' },
    providers: { type: 'string' },
    duration: { type: 'string' },
    format: { type: 'string' },
  });
  if (values === undefined) return;
  const duration = durationArgument(values.duration);
  const tracing = tracingOf(values.providers, values.format ?? '4');
  await withTarget(values, async (target, stop) => {
    const file = values.output ?? (await fileNameOf(target));
    const session = await target.client.collectTracing(tracing);
    const saving = new Saving(session, file);
    await readSession(session, target, stop, duration, () => saving.run());
    const end = session.isStopped ? '' : ` ${target.name} has ended.`;
    process.stderr.write(`Collected ${megabytes(saving.bytes)} into ${file}.${end}\n`);
  });
}

function tracingOf(providers: string | undefined, version: string): StreamingTracing {
  const format = Object.hasOwn(FORMATS, version) ? FORMATS[version] : undefined;
  if (format === undefined) throw new UsageError(`--format takes 4 or 6, not "${version}".`);
  return {
    sessionType: 'streaming',
    bufferMegabytes: BUFFER_MEGABYTES,
    format,
    // What .NET's tools need to name the methods of stacks.
    rundownKeyword: DEFAULT_RUNDOWN_KEYWORD,
    collectsStacks: true,
    bufferMode: BufferMode.Drop,
    providers: providersArgument(providers ?? ALL_PROVIDERS),
  };
}

/** `app_20240328_004512.nettrace`, as dotnet-trace names it, in local time. */
async function fileNameOf({ client, name }: OpenedTarget): Promise<string> {
  const process = await processNameOf(client, name);
  const now = new Date();
  const time = [now.getHours(), now.getMinutes(), now.getSeconds()];
  const date = [now.getFullYear(), now.getMonth() + 1, now.getDate()];
  const [day, clock] = [date, time].map((parts) =>
    parts.map((part) => String(part).padStart(2, '0')).join(''),
  );
  return `${process}_${day}_${clock}.nettrace`;
}

/** As it can stand in a file's name. The oldest runtimes do not tell it. */
async function processNameOf(client: DiagnosticsClient, fallback: string): Promise<string> {
  try {
    const name = processName(await client.processInfo()).replaceAll(/[^\p{L}\p{N}._-]/gu, '_');
    return /^\.*$/.test(name) ? 'trace' : name;
  } catch (error) {
    if (!(error instanceof DiagnosticsClientError && error.code === 'unsupported')) throw error;
    return fallback.replace(' ', '_');
  }
}

/** A session's bytes on their way into a file, and on a terminal how many there are. */
class Saving {
  bytes = 0;
  readonly #session: TracingSession;
  readonly #file: string;

  constructor(session: TracingSession, file: string) {
    this.#session = session;
    this.#file = file;
  }

  async run(): Promise<void> {
    const isShown = process.stderr.isTTY === true;
    const timer = setInterval(() => {
      if (isShown) process.stderr.write(`\r\x1b[KCollecting: ${megabytes(this.bytes)}`);
    }, PROGRESS_MS);
    try {
      await pipeline(this.#counted(), createWriteStream(this.#file));
    } finally {
      clearInterval(timer);
      if (isShown) process.stderr.write('\r\x1b[K');
    }
  }

  async *#counted(): AsyncGenerator<Uint8Array> {
    for await (const chunk of this.#session.stream) {
      this.bytes += chunk.length;
      yield chunk;
    }
  }
}

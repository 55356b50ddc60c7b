/** Opening the trace that a command was given, and reading it for the user. */
import { readFile } from 'node:fs/promises';
import { openTrace } from '../trace/open-trace.ts';
import type { Trace } from '../trace/trace.ts';
import type { TraceEvent } from '../trace/trace-event.ts';
import { Progress } from './progress.ts';

export const TRACE_OPTIONS = { manifest: { type: 'string', multiple: true } } as const;

export const TRACE_USAGE = `FILE is an .etl, .nettrace, .netperf or perf.data, also in gzip or zip; - is standard input.
`;

export const MANIFEST_USAGE = `  --manifest FILE  describes events of an .etl that do not describe themselves; may be repeated
`;

/**
 * @param file a path; `-` is standard input
 * @param manifests paths of manifests
 */
export async function openTraceArgument(file: string, manifests: readonly string[] = []): Promise<Trace> {
  const texts = await Promise.all(manifests.map((path) => inWords(path, readFile(path, 'utf8'))));
  return inWords(file, openTrace(file === '-' ? process.stdin : file, { manifests: texts }));
}

const REASONS: Readonly<Record<string, (path: string) => string>> = {
  ENOENT: (path) => `There is no file "${path}".`,
  EISDIR: (path) => `"${path}" is a folder, not a file.`,
  EACCES: (path) => `This user may not read "${path}".`,
  EPERM: (path) => `This user may not read "${path}".`,
};

/** What was opened, or in a sentence why the system does not let it. */
async function inWords<T>(path: string, opening: Promise<T>): Promise<T> {
  try {
    return await opening;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    const reason = REASONS[code]?.(path);
    throw reason === undefined ? error : new Error(reason, { cause: error });
  }
}

/** The trace's batches, with progress on a terminal, and at the end a word on stderr about what is missing or out of order. */
export async function* readWithProgress(
  trace: Trace,
): AsyncGenerator<readonly TraceEvent[], void, undefined> {
  const progress = new Progress(trace);
  try {
    for await (const batch of trace.batches()) {
      progress.update();
      yield batch;
    }
  } finally {
    progress.end();
  }
  for (const text of [lossText(trace), lateText(trace)]) {
    if (text !== undefined) process.stderr.write(`tracewright: ${text}\n`);
  }
}

/** What the recorder has lost, as a sentence. */
export function lossText({ lostEvents, lostBuffers }: Trace): string | undefined {
  const parts = [
    ...(lostEvents > 0 ? [`${lostEvents} event${lostEvents === 1 ? '' : 's'}`] : []),
    ...(lostBuffers > 0 ? [`${lostBuffers} buffer${lostBuffers === 1 ? '' : 's'}`] : []),
  ];
  return parts.length === 0 ? undefined : `The recorder has lost ${parts.join(' and ')}.`;
}

/** What came out of order, as a sentence. */
function lateText({ lateEvents }: Trace): string | undefined {
  if (lateEvents === 0) return undefined;
  const [events, come] = lateEvents === 1 ? ['1 event', 'comes'] : [`${lateEvents} events`, 'come'];
  return `${events} ${come} out of order: too far behind later ones in the trace to be waited for.`;
}

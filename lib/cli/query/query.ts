/** `tracewright query FILE... SQL`: asks traces, or folders of Parquet files, in SQL. */

import { existsSync } from 'node:fs';
import { writeTraceTables } from '../../export/parquet/trace-tables.ts';
import { Database, isTableFolder } from '../../query/database.ts';
import { loadDuckDb } from '../../query/duckdb.ts';
import { CommandLine } from '../command-line.ts';
import { withTemporaries } from '../command-output.ts';
import { warn } from '../messages.ts';
import { Output } from '../output.ts';
import { flag, type OptionRows, type OptionValues, UsageError } from '../parse-options.ts';
import { FRAME_OPTIONS, frameFolders } from '../trace/frame-options.ts';
import { readWithProgress, TRACE_OPTIONS } from '../trace/trace-argument.ts';
import {
  closeTraceFiles,
  FILES_HELP,
  fileNames,
  openTraceFiles,
  type TraceFiles,
} from '../trace/trace-files.ts';
import { ANSWER_FORMATS, type AnswerFormat } from './query-output.ts';
import { answerInput, prompt, QuerySession } from './query-prompt.ts';

const OPTIONS = {
  csv: flag('answers as CSV'),
  json: flag('answers as JSON'),
  markdown: flag('answers as a table in Markdown'),
  chart: flag('answers as a chart of bars'),
  ...FRAME_OPTIONS,
  ...TRACE_OPTIONS,
} as const satisfies OptionRows;

export const commandLine = new CommandLine('query', '[OPTION]... FILE... [SQL]', [
  `Answers SQL about FILE. Without SQL, it is asked for on the terminal, or read from standard input.`,
  `${FILES_HELP} FILE can also be a folder of Parquet files that "export --parquet" wrote, or such
  a folder's s3:// or https:// URL.`,
  'This needs DuckDB: npm install @duckdb/node-api',
  `Tables are events, activities, samples, stacks, processes, threads and losses. Each kind of event is a view with a
  column for each field, such as "MyCompany-MyService/RequestStart". Macros:`,
  [
    ["children_of('//1/1')", 'the activities in this one'],
    ["under('//1/1')", 'the events in this activity, and in those in it'],
    ["percentiles('Request')", 'durations of the activities with this name; without one, of all'],
    ["cpu_by('Request')", "the CPU samples of each of them; cpu_functions('Request') has them by function"],
    ["critical_path('//1/1')", 'what made this activity slow; without one, the slowest'],
  ],
  'An answer is a table, or has another format:',
  OPTIONS,
]);

type Values = OptionValues<typeof OPTIONS>;

/** How a statement begins, or a command of the prompt; traces rarely have such names. */
const STATEMENT =
  /^\s*(?:\(|--|\/\*|(?:select|from|with|values|table|describe|desc|summarize|show|explain|pivot|unpivot|copy|create|set|pragma|call|attach|install|load)\s|\.(?:tables|schema|help)\b)/i;

/** @throws UsageError; Error: DuckDB's, a trace's or the system's */
export async function run(args: readonly string[]): Promise<void> {
  const given = commandLine.files(args);
  if (given === undefined) return;
  const { values } = given;
  const format = formatOf(values);
  const { files, sql } = split(given.files);
  const traces = files.filter((file) => !isTableFolder(file));
  if (sql === undefined && traces.includes('-')) {
    throw new UsageError('With the trace on standard input, query needs the SQL as an argument.');
  }
  // Before a trace is read for nothing.
  loadDuckDb();
  await withTemporaries(() => answer(files, sql, format, values));
}

/** @throws like `run` */
async function answer(
  files: TraceFiles,
  sql: string | undefined,
  format: AnswerFormat,
  values: Values,
): Promise<void> {
  const traces = files.filter((file) => !isTableFolder(file));
  let failure: Error | undefined;
  const write = async (folder: string) => {
    failure = await writeTables(traces, folder, values);
  };
  const database = await Database.open(files.filter(isTableFolder), traces.length > 0 ? write : undefined);
  try {
    const session = new QuerySession(database, format, new Output());
    if (sql !== undefined) await session.answer(sql);
    else if (process.stdin.isTTY) await prompt(session);
    else await answerInput(session);
    if (database.lacksKinds) {
      warn('Only the most frequent kinds of events have views; the others are in events.');
    }
  } finally {
    database.close();
  }
  if (failure !== undefined) throw failure;
}

function formatOf(values: Values): AnswerFormat {
  const given = ANSWER_FORMATS.filter((format) => format !== 'table' && values[format] === true);
  if (given.length > 1) throw new UsageError(`--${given.join(' and --')} exclude each other.`);
  return given[0] ?? 'table';
}

/** The last argument is SQL if it looks so and no file has such a name. */
function split(given: readonly string[]): { readonly files: TraceFiles; readonly sql: string | undefined } {
  const last = given.at(-1) ?? '';
  if (!STATEMENT.test(last) || existsSync(last)) return { files: given, sql: undefined };
  if (given.length === 1) throw new UsageError('query needs at least one FILE before the SQL.');
  return { files: given.slice(0, -1), sql: last };
}

/** @returns the error that ends the trace early, after the events before it have been written */
async function writeTables(files: TraceFiles, folder: string, values: Values): Promise<Error | undefined> {
  const trace = await openTraceFiles(files, values);
  try {
    const target = { name: fileNames(files), folder, ...frameFolders(values) };
    return (await writeTraceTables(trace, readWithProgress(trace), target)).problem;
  } finally {
    await closeTraceFiles(files, trace);
  }
}

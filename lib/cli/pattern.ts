/** `tracewright pattern PATH`: an activity's ids as a regular expression, for tools that know no activity paths. */
import { activityIdPattern } from '../activity/path-pattern.ts';
import { CommandLine } from './command-line.ts';
import { Output } from './output.ts';
import { UsageError } from './parse-options.ts';

export const commandLine = new CommandLine('pattern', 'PATH', [
  `Prints a regular expression for the ids (GUIDs) of the activity PATH and everything in it, for tools that do not know
  activity paths: grep -E, the filters of PerfView, SQL. PATH is //1/1/6, or /#4321/1/1/6/ as PerfView prints it; ids of
  all processes match.`,
]);

/** @throws UsageError */
export async function run(args: readonly string[]): Promise<void> {
  const given = commandLine.file(args);
  if (given === undefined) return;
  const output = new Output();
  output.line(patternOf(given.file));
  await output.flush();
}

/** @throws UsageError */
function patternOf(path: string): string {
  try {
    return activityIdPattern(path).source;
  } catch (error) {
    throw error instanceof RangeError ? new UsageError(error.message) : error;
  }
}

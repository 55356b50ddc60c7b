/** What a command tells the user besides its output: messages, progress, and usage. */
import { printable, printableLines } from '../base/printable.ts';

const CLEAR_LINE = '\r\x1b[K';

let isProgressShown = false;

/** Prints a sentence, or several lines. */
export function say(text: string): void {
  clearProgress();
  process.stderr.write(`${printableLines(text)}\n`);
}

/** Prints a problem, or what the output does not show, as one line, so that no text in it can pose as another. */
export function warn(sentence: string): void {
  const lines = sentence.split('\n').map((line) => line.trim());
  say(`tracewright: ${lines.filter((line) => line !== '').join(' ')}`);
}

/** Shows progress in place of the previous one; only on a terminal. */
export function showProgress(text: string): void {
  if (process.stderr.isTTY !== true) return;
  isProgressShown = true;
  process.stderr.write(`${CLEAR_LINE}${printable(text)}`);
}

/** Clears the progress line. */
export function clearProgress(): void {
  if (!isProgressShown) return;
  isProgressShown = false;
  process.stderr.write(CLEAR_LINE);
}

/** Reports all failures; the last of them ends the command. @throws Error if there is any */
export function failWith(problems: readonly string[]): void {
  for (const problem of problems.slice(0, -1)) warn(problem);
  const last = problems.at(-1);
  if (last !== undefined) throw new Error(last);
}

/** Prints the usage on request: on stdout. */
export function printHelp(usage: string): void {
  process.stdout.write(usage);
}

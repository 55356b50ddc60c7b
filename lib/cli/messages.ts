/** What a command says to the user beside its output: sentences, how far it has come, and how it is used. */
import { printable, printableLines } from '../base/printable.ts';

const CLEAR_LINE = '\r\x1b[K';

let isProgressShown = false;

/** Says a sentence, or several lines. */
export function say(text: string): void {
  clearProgress();
  process.stderr.write(`${printableLines(text)}\n`);
}

/** Says what is wrong, or what the output does not tell: one line, so that no text in it can look like another. */
export function warn(sentence: string): void {
  say(`tracewright: ${sentence.replaceAll(/\s*\n\s*/g, ' ')}`);
}

/** Shows how far the command has come, instead of what was shown before; on a terminal only. */
export function showProgress(text: string): void {
  if (process.stderr.isTTY !== true) return;
  isProgressShown = true;
  process.stderr.write(`${CLEAR_LINE}${printable(text)}`);
}

/** Takes the progress away. */
export function clearProgress(): void {
  if (!isProgressShown) return;
  isProgressShown = false;
  process.stderr.write(CLEAR_LINE);
}

/** Says all that went wrong, which ends the command with the last of it. @throws Error unless nothing did */
export function failWith(problems: readonly string[]): void {
  for (const problem of problems.slice(0, -1)) warn(problem);
  const last = problems.at(-1);
  if (last !== undefined) throw new Error(last);
}

/** Says how a command is used, to a user who has asked for it: on stdout. */
export function printHelp(usage: string): void {
  process.stdout.write(usage);
}

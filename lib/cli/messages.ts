/** What a command tells the user besides its output: messages, progress, and usage. */
import { OutputError } from '../base/output-file.ts';
import { printable, printableLines } from '../base/printable.ts';
import { thrownMessage } from '../base/value-text.ts';

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

/** Whether somebody sits at a terminal who can be asked. */
export function canAsk(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true;
}

/** The answer of a user at a terminal; without one, the answer is no. */
export async function isConfirmed(question: string): Promise<boolean> {
  if (!canAsk()) return false;
  const { createInterface } = await import('node:readline/promises');
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await terminal.question(`${printable(question)} [y/N] `)).trim());
  } finally {
    terminal.close();
  }
}

/** Ends the process: standard output cannot be written. */
export function failOnOutput(error: unknown): void {
  warn(new OutputError('Standard output', error).message);
  process.exit(1);
}

/** Prints the usage on request: on stdout. */
export function printHelp(usage: string): void {
  process.stdout.write(usage);
}

/** What an error says: a sentence of ours, or one for the system's, which Node.js words for programmers. */
export function sentenceOf(error: unknown): string {
  const message = thrownMessage(error);
  const { code, syscall, path } = (error ?? {}) as NodeJS.ErrnoException;
  if (code === undefined || syscall === undefined || !message.startsWith(`${code}: `)) return message;
  const verb = WRITING.has(syscall) ? 'written' : 'read';
  return `${path ?? 'A file'} cannot be ${verb} (${code}).`;
}

const WRITING: ReadonlySet<string> = new Set([
  'write',
  'mkdir',
  'rename',
  'unlink',
  'rmdir',
  'rm',
  'ftruncate',
  'fsync',
]);

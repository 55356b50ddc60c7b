/** `tracewright record` on Windows: records ETW events of some providers, system-wide, into an .etl file. */
import { createInterface } from 'node:readline/promises';
import { printable } from '../base/printable.ts';
import {
  EtwRecording,
  type EtwRecordingResult,
  endLeftBehindEtwSession,
  leftBehindEtwFile,
} from '../record/etw-recording.ts';
import { dataSize } from '../view/number-text.ts';
import { say } from './messages.ts';
import type { RecordArguments } from './record-arguments.ts';
import type { RunningRecording } from './running-recording.ts';

/** @throws RecorderError */
export async function recordEtw(given: RecordArguments): Promise<RunningRecording> {
  const { file, selected, stacks, bufferSize, maxSize } = given;
  await endLeftBehind(given.endsLeftBehind);
  const recording = new EtwRecording({ ...selected, file, stacks, bufferSize, maxSize });
  return {
    // ETW enables a provider when it registers.
    address: '',
    progress: () => `Recording into ${file}: ${dataSize(recording.bytes)}`,
    hasEnded: () => recording.hasEnded(),
    stop: async () => ({ summary: summaryOf(recording.stop(), given), problems: [] }),
  };
}

/** An ETW session survives if its program is killed or its console closed too quickly, and holds our name. */
async function endLeftBehind(isWanted: boolean): Promise<void> {
  const file = leftBehindEtwFile();
  if (file === undefined) return;
  const found = `An ETW session of tracewright is already running and writing ${file}`;
  if (!isWanted && !(await isConfirmed(`${found}. End it?`))) {
    throw new Error(
      `${found}: another recording, or the leftover of one that was killed. ` +
        'To end it first, use --end-left-behind.',
    );
  }
  endLeftBehindEtwSession();
  say(`Ended an earlier ETW session that was writing ${file}.`);
}

/** The answer of a user at a terminal; without one, the answer is no. */
async function isConfirmed(question: string): Promise<boolean> {
  if (process.stdin.isTTY !== true || process.stderr.isTTY !== true) return false;
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await terminal.question(`${printable(question)} [y/N] `)).trim());
  } finally {
    terminal.close();
  }
}

function summaryOf(
  { bytes, eventsLost, buffersLost, endedBefore }: EtwRecordingResult,
  { file, maxSize }: RecordArguments,
): string {
  const lost = [
    ...(eventsLost > 0 ? [`${eventsLost} events`] : []),
    ...(buffersLost > 0 ? [`${buffersLost} buffers`] : []),
  ].join(' and ');
  // A session that ended by itself does not report its last losses.
  const none = endedBefore === undefined ? ', none lost' : '';
  const losses = lost === '' ? none : `, ${lost} lost, which a larger --buffer-size may avoid`;
  const ends = {
    full: ` The file has reached its maximum of ${maxSize} MiB and lacks later events: use a larger --max-size.`,
    ended: ' Another program ended the ETW session: the file lacks later events.',
  };
  const end = endedBefore === undefined ? '' : ends[endedBefore];
  return `Recorded into ${file} (${dataSize(bytes)})${losses}.${end}`;
}

/** `tracewright record` on Windows: records ETW events of some providers, system-wide, into an .etl file. */

import { thrownMessage } from '../../base/value-text.ts';
import {
  EtwRecording,
  type EtwRecordingResult,
  endLeftBehindEtwSession,
  leftBehindEtwFile,
} from '../../record/etw-recording.ts';
import { dataSize } from '../../view/number-text.ts';
import { isConfirmed, say } from '../messages.ts';
import type { RecordArguments } from './record-arguments.ts';
import type { RunningRecording } from './running-recording.ts';

/** @throws RecorderError */
export async function recordEtw(given: RecordArguments): Promise<RunningRecording> {
  const { file, selected, etw, bufferBytes, maxBytes } = given;
  await endLeftBehind(given.endsLeftBehind);
  const recording = new EtwRecording({
    ...selected,
    file,
    session: etw,
    minBufferBytes: bufferBytes,
    maxFileBytes: maxBytes,
  });
  if (given.isRing) return runningRing(recording, given);
  return {
    // ETW enables a provider when it registers.
    address: '',
    progress: () => `Recording into ${file}: ${dataSize(recording.bytes)}`,
    hasEnded: () => recording.hasEnded(),
    stop: async () => ({ summary: summaryOf(recording.stop(), given), problems: [] }),
  };
}

/** Whoever keeps asking for dumps does not fill the disk. */
function runningRing(recording: EtwRecording, { file, maxBytes }: RecordArguments): RunningRecording {
  const hint = `Ctrl-Break writes the latest events to ${file}.TIME`;
  say(`Recording into memory: ${hint}.`);
  let left = maxBytes;
  const dump = (): string => {
    if (left <= 0)
      return `Nothing is written: the files have ${dataSize(maxBytes)}, the limit of --max-size.`;
    const { file: path, bytes } = recording.dump();
    left -= bytes;
    return `Wrote the latest events to ${path} (${dataSize(bytes)}).`;
  };
  return {
    address: '',
    progress: () => hint,
    hasEnded: () => recording.hasEnded(),
    dump,
    stop: async () => {
      let last: string | undefined = 'Another program ended the ETW session.';
      const problems: string[] = [];
      try {
        if (!recording.hasEnded()) last = dump();
      } catch (error) {
        last = undefined;
        problems.push(thrownMessage(error));
      }
      const losses = lossesOf(recording.stop());
      return { summary: `${last ?? 'Nothing is written.'}${losses}`, problems };
    },
  };
}

function lossesOf({ eventsLost, buffersLost }: EtwRecordingResult): string {
  const lost = lostText(eventsLost, buffersLost);
  return lost === '' ? '' : ` ${lost} were lost.`;
}

/** An ETW session survives if its program is killed or its console closed too quickly, and holds our name. */
async function endLeftBehind(isWanted: boolean): Promise<void> {
  const file = leftBehindEtwFile();
  if (file === undefined) return;
  const where = file === '' ? 'recording into memory' : `writing ${file}`;
  const found = `An ETW session of tracewright is already running and ${where}`;
  if (!isWanted && !(await isConfirmed(`${found}. End it?`))) {
    throw new Error(
      `${found}: another recording, or the leftover of one that was killed. ` +
        'To end it first, use --end-left-behind.',
    );
  }
  endLeftBehindEtwSession();
  say(`Ended an earlier ETW session that was ${where}.`);
}

function summaryOf(
  { bytes, eventsLost, buffersLost, endedBefore }: EtwRecordingResult,
  { file, maxBytes }: RecordArguments,
): string {
  const lost = lostText(eventsLost, buffersLost);
  // A session that ended by itself does not report its last losses.
  const none = endedBefore === undefined ? ', none lost' : '';
  const losses = lost === '' ? none : `, ${lost} lost, which a larger --buffer-size may avoid`;
  const ends = {
    full: ` The file has reached its maximum of ${dataSize(maxBytes)} and lacks later events: use a larger --max-size.`,
    ended: ' Another program ended the ETW session: the file lacks later events.',
  };
  const end = endedBefore === undefined ? '' : ends[endedBefore];
  return `Recorded into ${file} (${dataSize(bytes)})${losses}.${end}`;
}

function lostText(events: number, buffers: number): string {
  return [...(events > 0 ? [`${events} events`] : []), ...(buffers > 0 ? [`${buffers} buffers`] : [])].join(
    ' and ',
  );
}

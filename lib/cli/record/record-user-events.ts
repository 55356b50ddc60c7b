/** `tracewright record` on Linux: records the system's user_events into a perf.data file. */
import { isAlive } from '../../base/is-alive.ts';
import { packageVersion } from '../../base/package-files.ts';
import { Recording } from '../../record/recording.ts';
import type { RecordingResult } from '../../record/recording-setup.ts';
import { type Dump, RingRecording } from '../../record/ring-recording.ts';
import { Selection } from '../../record/tracepoint-selection.ts';
import { countText, dataSize } from '../../view/number-text.ts';
import { say } from '../messages.ts';
import { commandUser, programsUser } from './command-user.ts';
import type { RecordArguments } from './record-arguments.ts';
import type { RunningRecording } from './running-recording.ts';

/**
 * @param args the command line, which is stored in the file
 * @throws RecorderError
 */
export async function recordUserEvents(
  given: RecordArguments,
  args: readonly string[],
): Promise<RunningRecording> {
  const selection = new Selection(given.selected);
  const programsOf = programsUser(given.command, commandUser(given.user));
  const options = { ...optionsOf(given, args), selection, ...(programsOf && { programsOf }) };
  if (given.isRing) return runningRing(new RingRecording(options), given);
  return running(await Recording.start(options), given);
}

/** Whoever keeps asking for dumps does not fill the disk. */
function runningRing(recording: RingRecording, { file, maxBytes, cpu }: RecordArguments): RunningRecording {
  for (const notice of recording.notices) say(notice);
  const hint = `kill -USR2 ${process.pid} writes the latest events to ${file}.TIME`;
  say(`Recording into memory: ${hint}.`);
  let left = maxBytes;
  const written = (dump: Dump | undefined): string => {
    if (dump === undefined)
      return `Nothing is written: the files have ${dataSize(maxBytes)}, the limit of --max-size.`;
    const { file: path, events, cpuSamples, bytes } = dump;
    left -= bytes;
    return `Wrote ${countsText(events, cpu && cpuSamples)} to ${path} (${dataSize(bytes)}).`;
  };
  return {
    address: recording.address,
    progress: () => hint,
    hasEnded: () => hasEnded(cpu),
    dump: () => written(left > 0 ? recording.dump() : undefined),
    stop: async () => {
      const { dump, lost, unrecordable, problems } = await recording.stop(left > 0);
      const last = written(dump);
      const losses = lost === 0 ? '' : ` ${lost} events were lost, those during a dump among them.`;
      return { summary: [`${last}${losses}`, unrecordable].filter(Boolean).join('\n'), problems };
    },
  };
}

function countsText(events: number, cpuSamples: number | undefined): string {
  const samples = cpuSamples === undefined ? '' : `${countText(cpuSamples, 'CPU sample')} and `;
  return `${samples}${countText(events, 'event')}`;
}

function hasEnded(cpu: RecordArguments['cpu']): boolean {
  return typeof cpu?.of === 'number' && !isAlive(cpu.of);
}

/** The options of every recording into a perf.data. */
export function optionsOf(given: RecordArguments, args: readonly string[]) {
  const { file, bufferBytes, cpu } = given;
  const owner = commandUser(given.user);
  return {
    file,
    ...(owner && { owner }),
    ...(cpu && { cpu }),
    ringSize: bufferBytes,
    commandLine: ['tracewright', 'record', ...args],
    version: packageVersion(),
  };
}

export function running(recording: Recording, { file, cpu }: RecordArguments): RunningRecording {
  for (const notice of recording.notices) say(notice);
  return {
    address: recording.address,
    progress: () => {
      const { events, cpuSamples, bytes, lost } = recording.counts;
      const samples = cpu === undefined ? '' : `${countText(cpuSamples, 'CPU sample')}, `;
      return `Recording: ${samples}${events} events, ${dataSize(bytes)}, ${lost} lost`;
    },
    hasEnded: () => recording.counts.done || hasEnded(cpu),
    stop: async () => {
      const result = await recording.stop();
      return { summary: summaryOf(result, file, cpu !== undefined), problems: result.problems };
    },
  };
}

function summaryOf(result: RecordingResult, file: string, hasCpu: boolean): string {
  const { events, cpuSamples, bytes, lost, tracepoints, unrecordable, isWhole } = result;
  const of = tracepoints.length === 1 ? '1 tracepoint' : `${tracepoints.length} tracepoints`;
  const known = lost === 0 ? 'none lost' : `${lost} lost, which a larger --buffer-size may avoid`;
  const losses = isWhole ? known : 'and lost everything after them';
  const hint = tracepoints.length === 0 && !hasCpu ? ' No program had registered a matching tracepoint.' : '';
  const rest = unrecordable === undefined ? '' : `\n${unrecordable}`;
  const what = hasCpu ? [countText(cpuSamples, 'CPU sample')] : [];
  if (!hasCpu || tracepoints.length > 0) what.push(`${events} events of ${of}`);
  return `Recorded ${what.join(' and ')} into ${file} (${dataSize(bytes)}), ${losses}.${hint}${rest}`;
}

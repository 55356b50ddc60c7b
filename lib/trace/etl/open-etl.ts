/**
 * Reads an .etl (Event Trace Log), the file format of ETW, including compressed ones.
 *
 * Events in the file are in time order only within a buffer, and their descriptions may follow them. So it is read
 * twice: once for an index, once for the events.
 */

import { viewOf } from '../../base/bytes.ts';
import { openBuffer } from '../../wire/etl/buffer.ts';
import { readBufferHeader } from '../../wire/etl/buffer-header.ts';
import { EtlClock } from '../../wire/etl/clock.ts';
import { BUFFER_HEADER_SIZE } from '../../wire/etl/constants.ts';
import { isLiveHead } from '../../wire/etl/live-header.ts';
import { type LogFileHeader, readLogFileHeader } from '../../wire/etl/log-file-header.ts';
import { RecordCursor } from '../../wire/etl/record-cursor.ts';
import { TraceError } from '../../wire/trace-error.ts';
import type { OpenedSource, SeekableBytes } from '../byte-source.ts';
import type { OpenReader, TraceReader } from '../trace-reader.ts';
import { EventDescriptions } from './descriptions.ts';
import { EtlReader } from './etl-reader.ts';
import { EventDescriber } from './event-describer.ts';
import type { EtlFile } from './index-pass.ts';
import { openLiveEtl } from './live-etl-reader.ts';
import { MessageDescriptions } from './message-descriptions.ts';

/**
 * @throws TraceError
 * @throws ManifestError if one of the provided manifests cannot be read
 * @throws Error if one of the provided TMF texts cannot be read
 */
export const openEtl: OpenReader = async (source, options): Promise<TraceReader> => {
  const descriptions = new EventDescriptions(options.manifests);
  const messages = new MessageDescriptions(options.tmf ?? []);
  if (source.size === undefined && isLiveHead(source.head)) {
    return await openLiveEtl(source, { descriptions, describer: new EventDescriber(descriptions, messages) });
  }
  const first = await openLog(source);
  const files: [EtlFile, ...EtlFile[]] = [first];
  try {
    const clock = new EtlClock(first.header);
    for (const other of options.others ?? []) {
      const file = await openLog(other);
      files.push(file);
      if (!clock.isSharedWith(file.header)) throw notOneRecording(first, file);
    }
    return new EtlReader(files, descriptions, messages);
  } catch (error) {
    await Promise.all(files.map(({ bytes }) => bytes.close()));
    throw error;
  }
};

async function openLog(source: OpenedSource): Promise<EtlFile> {
  const bytes = await source.seekable();
  try {
    return { name: source.name, bytes, header: await readHeader(bytes) };
  } catch (error) {
    await bytes.close();
    throw error;
  }
}

function notOneRecording(first: EtlFile, { name }: EtlFile): TraceError {
  const sentence = `${name} does not belong to ${first.name}: its clock, or the start of Windows that it counts from, is another one.`;
  return new TraceError('unsupported', 0, sentence);
}

async function readHeader(bytes: SeekableBytes): Promise<LogFileHeader> {
  const { size } = readBufferHeader(viewOf(await bytes.read(0, BUFFER_HEADER_SIZE)), 0);
  const buffer = openBuffer(await bytes.read(0, size), 0);
  const cursor = new RecordCursor(buffer, { high: 0, low: 0 });
  if (!cursor.next())
    throw cursor.problem ?? new TraceError('malformed', 0, 'The first buffer has no records.');
  return readLogFileHeader(cursor);
}

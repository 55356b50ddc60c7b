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
import { EtlError } from '../../wire/etl/error.ts';
import { type LogFileHeader, readLogFileHeader } from '../../wire/etl/log-file-header.ts';
import { RecordCursor } from '../../wire/etl/record-cursor.ts';
import type { SeekableBytes } from '../byte-source.ts';
import { asTraceError } from '../trace-error.ts';
import type { OpenReader, TraceReader } from '../trace-reader.ts';
import { EventDescriptions } from './descriptions.ts';
import { EtlReader } from './etl-reader.ts';

/**
 * @throws TraceError
 * @throws ManifestError if one of the provided manifests cannot be read
 */
export const openEtl: OpenReader = async (source, options): Promise<TraceReader> => {
  const descriptions = new EventDescriptions(options.manifests);
  const bytes = await source.seekable();
  try {
    const header = await readHeader(bytes);
    return new EtlReader(bytes, header, new EtlClock(header), descriptions);
  } catch (error) {
    await bytes.close();
    throw asTraceError(error);
  }
};

async function readHeader(bytes: SeekableBytes): Promise<LogFileHeader> {
  const { size } = readBufferHeader(viewOf(await bytes.read(0, BUFFER_HEADER_SIZE)), 0);
  const buffer = openBuffer(await bytes.read(0, size), 0);
  const cursor = new RecordCursor(buffer, { high: 0, low: 0 });
  if (!cursor.next())
    throw cursor.problem ?? new EtlError('malformed', 0, 'The first buffer has no records.');
  return readLogFileHeader(cursor);
}

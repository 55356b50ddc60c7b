/**
 * An .etl of any size, made by repeating the buffers of a given one with later times: what a day-long recording looks
 * like to a reader.
 */
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';

const ETL_BUFFER_HEADER_SIZE = 0x48;
/** 64-bit EVENT_HEADER, and the position of its time. */
const ETL_EVENT_TYPE = 0x13;
const ETL_TIME_OFFSET = 0x10;

export function writeLargeEtl(path, dataFolder, size) {
  const given = readFileSync(join(dataFolder, 'etl', 'HTTP_Server.etl'));
  const headerSize = given.readUInt32LE(0);
  const body = Buffer.from(given.subarray(headerSize));
  const times = etlTimeOffsets(body);
  const sorted = BigInt64Array.from(times, (offset) => body.readBigInt64LE(offset)).sort();
  const span = sorted[sorted.length - 1] - sorted[0] + 1n;
  const file = openSync(path, 'w');
  writeSync(file, given.subarray(0, headerSize));
  for (let written = headerSize; written < size; written += body.length) {
    for (const offset of times) body.writeBigInt64LE(body.readBigInt64LE(offset) + span, offset);
    writeSync(file, body);
  }
  closeSync(file);
}

function etlTimeOffsets(bytes) {
  const offsets = [];
  for (let buffer = 0; buffer < bytes.length; buffer += bytes.readUInt32LE(buffer)) {
    const end = buffer + bytes.readUInt32LE(buffer + 0x30);
    for (let at = buffer + ETL_BUFFER_HEADER_SIZE; at + 8 <= end; ) {
      if (bytes[at + 3] !== 0xc0 || bytes[at + 2] !== ETL_EVENT_TYPE) break;
      offsets.push(at + ETL_TIME_OFFSET);
      at += (bytes.readUInt16LE(at) + 7) & ~7;
    }
  }
  return offsets;
}

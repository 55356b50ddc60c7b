/**
 * Traces of any size, made by repeating the buffers of given ones with later times: what a day-long recording looks
 * like to a reader.
 */
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';

const ETL_BUFFER_HEADER_SIZE = 0x48;
/** 64-bit EVENT_HEADER, and the position of its time. */
const ETL_EVENT_TYPE = 0x13;
const ETL_TIME_OFFSET = 0x10;

/** @returns the number of events written */
export function writeLargeEtl(path, dataFolder, size) {
  const given = readFileSync(join(dataFolder, 'etl', 'HTTP_Server.etl'));
  const headerSize = given.readUInt32LE(0);
  const body = Buffer.from(given.subarray(headerSize));
  const times = etlTimeOffsets(body);
  const sorted = BigInt64Array.from(times, (offset) => body.readBigInt64LE(offset)).sort();
  const span = sorted[sorted.length - 1] - sorted[0] + 1n;
  return repeat(path, given.subarray(0, headerSize), body, size, () => {
    for (const offset of times) body.writeBigInt64LE(body.readBigInt64LE(offset) + span, offset);
    return times.length;
  });
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

/** Events of one thread in blocks of about 64 KiB, each followed by a sequence point: format V6. */
export function writeLargeNettrace(path, size) {
  const eventsPerBlock = 1200;
  const payload = Buffer.concat([Buffer.from('http://site/item/1\0', 'utf16le'), Buffer.from([7, 0, 0, 0])]);
  // Flags: payload size. The block's other events contain only their time and payload.
  const next = Buffer.concat([Buffer.from([0x80]), varuint(1000n), varuint(BigInt(payload.length)), payload]);
  const rest = Buffer.concat(Array.from({ length: eventsPerBlock - 1 }, () => next));
  const head = Buffer.concat([
    Buffer.from('Nettrace\0\0\0\0\x06\0\0\0\0\0\0\0'),
    block(1, traceBlock()),
    block(3, metadataBlock()),
    block(6, sized(Buffer.from([1, 3, 0xe8, 0x07]))), // thread 1: id 1000
  ]);
  const file = openSync(path, 'w');
  writeSync(file, head);
  let written = head.length;
  let sequence = 0;
  let time = 1n << 40n;
  let events = 0;
  while (written < size) {
    // Flags: metadata id, sequence and capture thread, thread, label list, payload size.
    const first = [[0x97], varuint(1n), varuint(BigInt(sequence)), [1], [0], [1], varuint(time), [0]];
    const blob = Buffer.concat([
      ...first.map((part) => Buffer.from(part)),
      varuint(BigInt(payload.length)),
      payload,
    ]);
    const times = Buffer.alloc(20);
    times.writeInt16LE(20, 0);
    times.writeInt16LE(1, 2);
    times.writeBigInt64LE(time, 4);
    time += BigInt(eventsPerBlock) * 1000n;
    times.writeBigInt64LE(time, 12);
    sequence += eventsPerBlock;
    const point = Buffer.alloc(16);
    point.writeBigUInt64LE(time, 0);
    point.writeUInt32LE(1, 12);
    const points = Buffer.concat([point, varuint(1n), varuint(BigInt(sequence))]);
    const piece = Buffer.concat([block(2, Buffer.concat([times, blob, rest])), block(4, points)]);
    writeSync(file, piece);
    written += piece.length;
    events += eventsPerBlock;
  }
  writeSync(file, block(0, Buffer.alloc(0)));
  closeSync(file);
  return events;
}

function block(kind, body) {
  const head = Buffer.alloc(4);
  head.writeUInt32LE(((kind << 24) | body.length) >>> 0);
  return Buffer.concat([head, body]);
}

function traceBlock() {
  const body = Buffer.alloc(40);
  [2026, 11, 6, 20, 10, 0, 0, 0].forEach((part, i) => {
    body.writeInt16LE(part, 2 * i);
  });
  body.writeBigInt64LE(1n << 40n, 16);
  body.writeBigInt64LE(10_000_000n, 24);
  body.writeInt32LE(8, 32);
  return body;
}

/** Metadata 1: event 1 of MyCompany-MyService, RequestStart(url: UTF-16 text, size: i32). */
function metadataBlock() {
  const field = (name, type) => sized(Buffer.concat([text(name), Buffer.from([type])]));
  const fields = Buffer.concat([Buffer.from([2, 0]), field('url', 18), field('size', 9)]);
  const row = [varuint(1n), text('MyCompany-MyService'), varuint(1n), text('RequestStart'), fields];
  const optional = sized(Buffer.from([1, 1, 8, 4])); // opcode 1, level 4
  return Buffer.concat([Buffer.from([0, 0]), sized(Buffer.concat([...row, optional]))]);
}

/** Preceded by its size as a u16. */
function sized(body) {
  const head = Buffer.alloc(2);
  head.writeUInt16LE(body.length);
  return Buffer.concat([head, body]);
}

function text(value) {
  return Buffer.concat([varuint(BigInt(value.length)), Buffer.from(value)]);
}

function varuint(value) {
  const bytes = [];
  let left = value;
  for (; left >= 0x80n; left >>= 7n) bytes.push(Number(left & 0x7fn) | 0x80);
  bytes.push(Number(left));
  return Buffer.from(bytes);
}

function repeat(path, head, body, size, shift) {
  const file = openSync(path, 'w');
  writeSync(file, head);
  let events = 0;
  for (let written = head.length; written < size; written += body.length) {
    events += shift();
    writeSync(file, body);
  }
  closeSync(file);
  return events;
}

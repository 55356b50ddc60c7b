/** A perf.data of any size: the samples of a given one repeated with later times, in rounds as perf writes them. */
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';

const SAMPLE = 9;
const FINISHED_ROUND = 68;
/** Records of other types that name processes. */
const NAMING = [3, 7];

/** The fields of `perf_event_attr.sample_type` that precede the time: identifier, ip, and process and thread. */
const BEFORE_TIME = [1n << 16n, 1n << 0n, 1n << 1n];
const TABLE_ENTRY_SIZE = 16;
/** Where a file's header contains the size of its data, and where its feature bits start. */
const DATA_SIZE_AT = 48;
const FEATURE_BITS_AT = 72;
const FEATURE_BITS_SIZE = 32;

/** Ends a round. */
const roundEnd = Buffer.from([FINISHED_ROUND, 0, 0, 0, 0, 0, 8, 0]);

/**
 * @param given the path of a perf.data
 * @param {number} samples the approximate number of samples to write
 * @param {number} perRound approximately how many of them perf read from the kernel's buffers at a time
 * @returns the number of samples written
 */
export function writeLargePerfData(path, given, samples, perRound = 50_000) {
  const bytes = readFileSync(given);
  const dataStart = Number(bytes.readBigUInt64LE(40));
  const dataEnd = dataStart + Number(bytes.readBigUInt64LE(DATA_SIZE_AT));
  const { naming, body, times } = partsOf(bytes, dataStart, dataEnd);
  const sorted = BigUint64Array.from(times, (offset) => body.readBigUInt64LE(offset)).sort();
  const span = sorted[sorted.length - 1] - sorted[0] + 1n;
  const repetitions = Math.ceil(samples / times.length);
  const inRound = Math.max(1, Math.floor(perRound / times.length));
  const rounds = Math.floor(repetitions / inRound);
  const size = naming.length + repetitions * body.length + rounds * roundEnd.length;

  const file = openSync(path, 'w');
  const head = Buffer.from(bytes.subarray(0, dataStart));
  head.writeBigUInt64LE(BigInt(size), DATA_SIZE_AT);
  writeSync(file, head);
  writeSync(file, naming);
  for (let repetition = 1; repetition <= repetitions; repetition++) {
    writeSync(file, body);
    if (repetition % inRound === 0) writeSync(file, roundEnd);
    for (const offset of times) body.writeBigUInt64LE(body.readBigUInt64LE(offset) + span, offset);
  }
  writeSync(file, movedFeatures(bytes, dataEnd, size - (dataEnd - dataStart)));
  closeSync(file);
  return repetitions * times.length;
}

/** Records that name processes, which appear once, and the samples. */
function partsOf(bytes, start, end) {
  const timeOffset = timeOffsetOf(bytes);
  const naming = [];
  const samples = [];
  const times = [];
  let length = 0;
  for (let at = start; at < end; at += bytes.readUInt16LE(at + 6)) {
    const type = bytes.readUInt32LE(at);
    const record = bytes.subarray(at, at + bytes.readUInt16LE(at + 6));
    if (NAMING.includes(type)) naming.push(record);
    if (type !== SAMPLE) continue;
    samples.push(record);
    times.push(length + timeOffset);
    length += record.length;
  }
  return { naming: Buffer.concat(naming), body: Buffer.concat(samples), times };
}

/** The offset from a sample's start; the same for all attributes, which have these fields in common. */
function timeOffsetOf(bytes) {
  const attrs = Number(bytes.readBigUInt64LE(24));
  const sampleType = bytes.readBigUInt64LE(attrs + 24);
  return 8 + 8 * BEFORE_TIME.filter((bit) => (sampleType & bit) !== 0n).length;
}

/** The feature table and the features, moved back by this much. */
function movedFeatures(bytes, tableStart, by) {
  const moved = Buffer.from(bytes.subarray(tableStart));
  const bits = bytes.subarray(FEATURE_BITS_AT, FEATURE_BITS_AT + FEATURE_BITS_SIZE);
  const count = bits.reduce((sum, byte) => sum + byte.toString(2).replaceAll('0', '').length, 0);
  for (let at = 0; at < count * TABLE_ENTRY_SIZE; at += TABLE_ENTRY_SIZE) {
    moved.writeBigUInt64LE(moved.readBigUInt64LE(at) + BigInt(by), at);
  }
  return moved;
}

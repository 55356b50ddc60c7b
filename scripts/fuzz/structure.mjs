/**
 * Locates the parts of trace files for mutations, and cuts small files out of large ones. Based only on the formats'
 * documents, not on the readers under test.
 */

/** Offsets in the file, from `start` on. */
const at = (start, offsets) => offsets.map((offset) => start + offset);

/** Buffers of at least 0x48 bytes and, if they are not compressed, their records. */
export function etlParts(bytes) {
  const parts = [];
  for (let start = 0; start + 0x48 <= bytes.length; ) {
    const size = bytes.readUInt32LE(start);
    if (size < 0x48) break;
    parts.push({ start, end: start + size, fields: at(start, [0, 4, 0x30, 0x34, 0x36, 0x28, 0x48]) });
    if ((bytes.readUInt16LE(start + 0x34) & 0x40) === 0) {
      parts.push(
        ...etlRecords(bytes, start + 0x48, Math.min(start + bytes.readUInt32LE(start + 0x30), start + size)),
      );
    }
    start += size;
  }
  return parts;
}

function etlRecords(bytes, from, to) {
  const records = [];
  for (let start = from; start + 8 <= Math.min(to, bytes.length); ) {
    const type = bytes[start + 2];
    const hasSizeBehind = type < 5 || type === 0x10 || type === 0x11;
    const size = bytes.readUInt16LE(start + (hasSizeBehind ? 4 : 0));
    if (bytes[start + 3] !== 0xc0 || size < 8) break;
    const fields = [0, 2, 4, 6, 0x10, 0x18, 0x28, 0x30, 0x50, 0x52, 0x54, 0x56, 0x58, 0x5a, 0x60];
    records.push({
      start,
      end: start + size,
      fields: at(start, fields).filter((offset) => offset < start + size),
    });
    start += (size + 7) & ~7;
  }
  return records;
}

/** The first buffers of a large file. */
export function cutEtl(bytes, limit) {
  let end = 0;
  while (end + 4 <= bytes.length && end + bytes.readUInt32LE(end) <= limit) end += bytes.readUInt32LE(end);
  return bytes.subarray(0, end);
}

/** The packets: field 1, with a size of up to four bytes. */
export function perfettoParts(bytes) {
  const parts = [];
  for (let start = 0; start + 5 < bytes.length; ) {
    let size = 0;
    let at = start + 1;
    do size |= (bytes[at] & 0x7f) << (7 * (at - start - 1));
    while (bytes[at++] >= 0x80 && at < start + 5);
    const end = at + size;
    const length = Math.min(64, bytes.length - start, end - start);
    parts.push({ start, end, fields: Array.from({ length }, (_, offset) => start + offset) });
    start = end;
  }
  return parts;
}

/** For format V6 the blocks; for older ones the names of objects. */
export function nettraceParts(bytes) {
  const isV6 = bytes.readUInt32LE(8) === 0 && bytes.latin1Slice(0, 8) === 'Nettrace';
  return isV6 ? nettraceBlocks(bytes) : nettraceObjects(bytes);
}

function nettraceBlocks(bytes) {
  const parts = [{ start: 0, end: 20, fields: [8, 12, 16] }];
  for (let start = 20; start + 4 <= bytes.length; ) {
    const end = start + 4 + (bytes.readUInt32LE(start) & 0xffffff);
    const fields = Array.from({ length: Math.min(48, end - start) }, (_, offset) => offset);
    parts.push({ start, end, fields: at(start, fields) });
    start = end;
  }
  return parts;
}

function nettraceObjects(bytes) {
  const names = [
    ...bytes.latin1Slice().matchAll(/Trace|EventBlock|MetadataBlock|StackBlock|SPBlock|EventPipeFile/g),
  ];
  return names.map(({ index, 0: name }, i) => {
    const end = names[i + 1]?.index ?? bytes.length;
    const fields = Array.from(
      { length: Math.min(96, end - index) },
      (_, offset) => offset - 16 + name.length,
    );
    return { start: index - 19, end: end - 19, fields: at(index, fields) };
  });
}

const PERF_HEADER_SIZE = 104;
const PERF_PIPE_HEADER_SIZE = 16;

/** The header, the records of the data section, the table of features and the features. */
export function perfParts(bytes) {
  const isPipe = bytes.readUInt32LE(8) === PERF_PIPE_HEADER_SIZE;
  if (isPipe) return perfRecords(bytes, PERF_PIPE_HEADER_SIZE, bytes.length);
  const dataStart = Number(bytes.readBigUInt64LE(40));
  const dataEnd = dataStart + Number(bytes.readBigUInt64LE(48));
  const header = { start: 0, end: PERF_HEADER_SIZE, fields: [8, 16, 24, 32, 40, 48, 72, 73, 74, 75] };
  const attrs = { start: PERF_HEADER_SIZE, end: dataStart, fields: range(PERF_HEADER_SIZE, dataStart) };
  const table = {
    start: dataEnd,
    end: bytes.length,
    fields: range(dataEnd, Math.min(dataEnd + 400, bytes.length)),
  };
  const rest = { start: dataEnd, end: bytes.length, fields: range(dataEnd, bytes.length) };
  return [header, attrs, ...perfRecords(bytes, dataStart, dataEnd), table, rest];
}

function perfRecords(bytes, from, to) {
  const parts = [];
  for (let start = from; start + 8 <= Math.min(to, bytes.length); ) {
    const size = bytes.readUInt16LE(start + 6);
    if (size < 8) break;
    const end = Math.min(start + size, bytes.length);
    parts.push({ start, end, fields: range(start, Math.min(start + 96, end)) });
    start += size;
  }
  return parts;
}

const range = (start, end) => Array.from({ length: Math.max(0, end - start) }, (_, i) => start + i);

/** The same perf.data with only the first `count` records. */
export function cutPerf(bytes, count) {
  const start = Number(bytes.readBigUInt64LE(40));
  const end = start + Number(bytes.readBigUInt64LE(48));
  let kept = start;
  for (let left = count; left > 0 && kept < end; left--) kept += bytes.readUInt16LE(kept + 6);
  const removed = end - kept;
  const result = Buffer.concat([bytes.subarray(0, kept), bytes.subarray(end)]);
  result.writeBigUInt64LE(BigInt(kept - start), 48);
  for (let at = kept; at + 16 <= result.length; at += 16) {
    const offset = result.readBigUInt64LE(at);
    // The feature table ends where the first feature starts.
    if (offset < BigInt(end) || offset >= BigInt(bytes.length)) break;
    result.writeBigUInt64LE(offset - BigInt(removed), at);
  }
  return result;
}

/** A file of which only the length is known: any offset may be a field. */
export function anyParts(bytes) {
  return [{ start: 0, end: bytes.length, fields: range(0, bytes.length) }];
}

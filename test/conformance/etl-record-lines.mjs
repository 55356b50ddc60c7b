/**
 * The records of an .etl in the reference's form: one line of JSON per record, with its complete header and its payload
 * in hex, in time order.
 */
import { hexText } from '../../dist/base/bytes.js';
import { openBuffer } from '../../dist/wire/etl/buffer.js';
import { EtlClock } from '../../dist/wire/etl/clock.js';
import { ExtendedType, RecordType } from '../../dist/wire/etl/constants.js';
import { extendedItemsOf, itemBytes, stackOf } from '../../dist/wire/etl/extended-items.js';
import { readLogFileHeader } from '../../dist/wire/etl/log-file-header.js';
import * as read from '../../dist/wire/etl/record.js';
import { countersSize, RecordCursor } from '../../dist/wire/etl/record-cursor.js';
import { Layout } from '../../dist/wire/etl/record-type.js';
import { InType, OutType } from '../../dist/wire/tracelogging/constants.js';
import { decodeProviderTraits } from '../../dist/wire/tracelogging/provider-traits.js';
import { loadTestModule } from '../../scripts/lib/test-module.mjs';

const { decodeTraceLogging } = await loadTestModule('test/wire/tracelogging/decode-event.ts');

const TYPE_NAMES = new Map(Object.entries(RecordType).map(([name, type]) => [type, name]));

/** @returns {{ header, rows: object[] }} rows in time order, those with equal times in file order */
export function recordRows(bytes) {
  const buffers = [];
  for (let at = 0; at < bytes.length; at += bytes.readUInt32LE(at)) {
    buffers.push(openBuffer(bytes.subarray(at, at + bytes.readUInt32LE(at)), at));
  }
  const first = new RecordCursor(buffers[0], { high: 0, low: 0 });
  first.next();
  const header = readLogFileHeader(first);
  const clock = new EtlClock(header);
  const rows = buffers.flatMap((buffer, index) => {
    const cursor = new RecordCursor(buffer, clock.start);
    const found = [];
    while (cursor.next()) {
      const row = rowOf(cursor, index, found.length, header, clock);
      found.push({ ticks: cursor.ticks, row, type: row.type });
    }
    if (cursor.problem !== undefined) throw cursor.problem;
    return found;
  });
  rows.sort((a, b) => a.ticks - b.ticks);
  return { header, rows: rows.map(({ row }) => row) };
}

function rowOf(record, buf, rec, header, clock) {
  const { items, payload, isDamaged } = extendedItemsOf(record);
  if (isDamaged) throw new Error(`record ${rec} of buffer ${buf} has a damaged item`);
  const data = record.buffer.bytes.subarray(payload, record.end);
  const row = { buf, rec, proc: record.buffer.header.processor, type: TYPE_NAMES.get(record.type) };
  if (record.layout === Layout.Event) addEvent(row, record);
  else if (record.layout === Layout.Classic) addClassic(row, record);
  else addKernel(row, record);
  if (buf === 0 && rec === 0) row.logfile = logFile(header);
  row.raw = read.rawTimeOf(record);
  row.filetime = clock.fileTime(record.ticks);
  for (const item of items) addItem(row, record, item, data);
  return { ...row, dataLen: data.length, data: hexText(data) };
}

function addKernel(row, record) {
  row.version = read.versionOf(record);
  row.group = read.groupOf(record);
  row.opcode = read.opcodeOf(record);
  if (record.layout === Layout.System) {
    row.tid = read.threadIdOf(record);
    row.pid = read.processIdOf(record);
  }
  row.extraHeader = countersSize(record.buffer.view.getUint16(record.offset, true));
}

function addClassic(row, record) {
  row.opcode = read.opcodeOf(record);
  row.level = read.levelOf(record);
  row.version = read.versionOf(record);
  row.tid = read.threadIdOf(record);
  row.pid = read.processIdOf(record);
  row.provider = read.guidAt(record, read.providerGuidOffset(record));
}

/** Flags, property and CPU time, which are needed only here. */
function addEvent(row, record) {
  const { view } = record.buffer;
  row.flags = view.getUint16(record.offset + 4, true);
  row.property = view.getUint16(record.offset + 6, true);
  row.tid = read.threadIdOf(record);
  row.pid = read.processIdOf(record);
  row.provider = read.guidAt(record, read.providerGuidOffset(record));
  row.id = read.idNumberOf(record);
  row.version = read.versionOf(record);
  row.channel = read.channelOf(record);
  row.level = read.levelOf(record);
  row.opcode = read.opcodeOf(record);
  row.task = read.taskOf(record);
  row.keywords = `0x${read.keywordsOf(record).toString(16)}`;
  row.processorTime = String(view.getBigUint64(record.offset + 0x38, true));
  row.activityId = read.activityIdOf(record) ?? '00000000-0000-0000-0000-000000000000';
}

function addItem(row, record, item, data) {
  const bytes = itemBytes(record, item);
  switch (item.type) {
    case ExtendedType.RelatedActivityId:
      row.relatedActivityId = read.guidAt(record, item.start);
      break;
    case ExtendedType.ProviderTraits:
      row.providerTraits = hexText(bytes);
      row.tlProvider = decodeProviderTraits(bytes).name;
      break;
    case ExtendedType.StackTrace32:
    case ExtendedType.StackTrace64:
      row.stack = {
        matchId: String(record.buffer?.view?.getBigUint64(item.start, true)),
        frames: stackOf(record, [item])?.map((address) => `0x${address.toString(16)}`),
      };
      break;
    case ExtendedType.EventSchema: {
      const event = decodeTraceLogging(bytes, data);
      row.tlName = event.name;
      row.tl = Object.fromEntries(event.fields.map((field) => [field.name, fieldValue(field)]));
      row.tlLeft = 0;
    }
  }
}

/** The reference shows values as stored; the decoder interprets some. */
function fieldValue(field) {
  const plain = (value) => plainValue(field, value);
  return field.shape === 'array' ? field.value.map(plain) : plain(field.value);
}

function plainValue({ inType, outType }, value) {
  if (typeof value === 'boolean') return Number(value);
  if (outType === OutType.String && inType !== InType.UnicodeString && typeof value === 'string') {
    return value.codePointAt(0);
  }
  if (inType === InType.FileTime) return { filetime: String(value) };
  if (inType === InType.SystemTime) return { systemtime: systemTime(value) };
  return typeof value === 'bigint' ? String(value) : value;
}

/** Eight numbers, the third of which is the day of the week. */
function systemTime(text) {
  const [year, month, ...rest] = text.match(/\d+/g).map(Number);
  return [year, month, new Date(`${text}Z`).getUTCDay(), ...rest];
}

export function logFile(header) {
  const { osMajorVersion, osMinorVersion, subVersion, subMinorVersion } = header;
  return {
    bufferSize: header.bufferSize,
    osVersion: [osMajorVersion, osMinorVersion, subVersion, subMinorVersion].join('.'),
    build: header.osBuild,
    processors: header.processors,
    endTime: header.endTime,
    timerResolution: header.timerResolution,
    maxFileSize: header.maximumFileSize,
    mode: `0x${header.mode.toString(16)}`,
    buffersWritten: header.buffersWritten,
    startBuffers: header.startBuffers,
    pointerSize: header.pointerSize,
    eventsLost: header.eventsLost,
    cpuMHz: header.cpuMHz,
    tzBias: header.timeZoneBiasMinutes,
    bootTime: header.bootTime,
    perfFreq: header.performanceFrequency,
    startTime: header.startTime,
    clockType: header.clockType,
    buffersLost: header.buffersLost,
    loggerName: header.loggerName,
    logFileName: header.logFileName,
    headerTimestamp: header.rawTime,
  };
}

/** JSON as Python writes it: with spaces. */
export function pythonJson(value) {
  if (typeof value === 'bigint') return String(value);
  if (Array.isArray(value)) return `[${value.map(pythonJson).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).map(
      ([name, member]) => `${pythonJson(name)}: ${pythonJson(member)}`,
    );
    return `{${members.join(', ')}}`;
  }
  return JSON.stringify(value);
}

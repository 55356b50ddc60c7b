/**
 * Opens the output of `trace-cmd record`: the pages of ftrace's ring buffers and the formats of their events.
 *
 * The events are the same as in a perf.data with these tracepoints, except for what only perf knows: the process of a
 * thread. So they are read as perf samples, which are created as the pages are read.
 */
import { ByteWriter } from '../../base/byte-writer.ts';
import { commonFields } from '../../wire/ftrace/page.ts';
import { readAttr } from '../../wire/perf-data/attr.ts';
import { Cursor } from '../../wire/perf-data/cursor.ts';
import { Piece } from '../../wire/perf-data/piece.ts';
import type { PerfSession } from '../../wire/perf-data/session.ts';
import { tracepointAttr } from '../../wire/perf-data/write/attr.ts';
import { FINISHED_ROUND, lostRecord } from '../../wire/perf-data/write/records.ts';
import { RAW_LIMIT, writeSample } from '../../wire/perf-data/write/sample.ts';
import { readTraceDatHead, type TraceDatHead } from '../../wire/trace-dat/head.ts';
import { openRecords } from '../perf-data/open-perf-data.ts';
import type { OpenReader } from '../trace-reader.ts';
import { PackedBytes } from './packed-bytes.ts';
import { MergedBuffers, RingBuffer } from './ring-buffers.ts';

/** Bytes of samples created at a time. */
const PIECE_SIZE = 1 << 18;

export const openTraceDat: OpenReader = async (source) => {
  const bytes = new PackedBytes(await source.seekable());
  const head = await readHead(bytes);
  const { session } = head;
  for (const id of session.tracepoints.keys()) addTracepoint(session, id);
  const buffers = new MergedBuffers();
  for (const pages of head.pages) await buffers.add(new RingBuffer(bytes, head, pages));
  const first = buffers.first?.event?.time ?? 0n;
  const { wallTimeOffsetNs } = head;
  if (wallTimeOffsetNs !== undefined) session.clock = { clockNs: first, wallNs: first + wallTimeOffsetNs };
  const records = {
    head: { session, start: 0, end: undefined },
    pieces: samplesOf(buffers, session),
  };
  const format = { format: 'trace.dat', formatVersion: head.version } as const;
  return await openRecords(records, format, () => source.close());
};

async function readHead(bytes: PackedBytes): Promise<TraceDatHead> {
  const reading = readTraceDatHead();
  let step = reading.next();
  while (!step.done) step = reading.next(await bytes.read(step.value));
  return step.value;
}

/** The samples of a tracepoint contain its id. */
function addTracepoint(session: PerfSession, id: number): void {
  const attr = readAttr(new Cursor(new Piece(tracepointAttr(id), 0), true, 'an attribute'));
  session.addAttr({ ...attr, ids: [BigInt(id)] });
}

async function* samplesOf(buffers: MergedBuffers, session: PerfSession): AsyncGenerator<Piece> {
  const known = new Set(session.tracepoints.keys());
  let out = new ByteWriter();
  let position = 0;
  const piece = () => {
    const made = new Piece(out.bytes(FINISHED_ROUND).current(), position, true);
    out = new ByteWriter();
    return made;
  };
  try {
    for (let buffer = buffers.first; buffer !== undefined; buffer = buffers.first) {
      position = Math.max(position, buffer.position);
      writeEvent(out, buffer, known, session);
      if (out.length >= PIECE_SIZE) yield piece();
      if (!buffers.step()) await buffers.readFirst();
    }
  } catch (error) {
    yield piece();
    throw error;
  }
  yield piece();
}

function writeEvent(out: ByteWriter, buffer: RingBuffer, known: Set<number>, session: PerfSession): void {
  const { event, processor } = buffer;
  if (event === undefined) return;
  const { time, raw } = event;
  const common = commonFields(raw);
  const isUnreadable = common === undefined || raw.length > RAW_LIMIT;
  const lost = buffer.takeLost() + (isUnreadable ? 1 : 0);
  const id = BigInt(common?.type ?? 0);
  if (lost > 0) out.bytes(lostRecord(id, lost, time));
  if (isUnreadable) return;
  if (!known.has(common.type)) {
    known.add(common.type);
    addTracepoint(session, common.type);
    session.addName(id, `tracepoint:${common.type}`);
  }
  writeSample(out, { id, pid: 0, tid: common.tid, timeNs: time, cpu: processor, raw });
}

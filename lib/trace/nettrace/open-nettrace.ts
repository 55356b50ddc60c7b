/** Opens .nettrace and .netperf files, and streams that are still being written. */
import { FormatVersion } from '../../wire/nettrace/constants.ts';
import type { NetTraceEvent as WireEvent } from '../../wire/nettrace/event.ts';
import { NetTraceParser } from '../../wire/nettrace/parser.ts';
import type { TraceHead } from '../../wire/nettrace/trace-head.ts';
import type { ByteSource } from '../byte-source.ts';
import type { TraceInfo, TraceReader } from '../trace-reader.ts';
import { Clock } from './clock.ts';
import { NetTraceReader } from './nettrace-reader.ts';

/** @throws TraceError if not even the trace's description of itself can be read */
export async function openNetTrace(source: ByteSource): Promise<TraceReader> {
  const chunks = smallPieces(source.chunks());
  const parser = new NetTraceParser();
  let firstEvents: readonly WireEvent[] = [];
  try {
    while (parser.head === undefined) {
      const { done, value } = await chunks.next();
      firstEvents = done ? parser.end() : parser.push(value);
      if (parser.head === undefined && parser.fault !== undefined) throw parser.fault;
    }
  } catch (error) {
    await chunks.return();
    throw error;
  }
  const clock = new Clock(parser.head);
  return new NetTraceReader(chunks, parser, firstEvents, infoOf(parser.head, clock), clock);
}

function infoOf(head: TraceHead, clock: Clock): TraceInfo {
  const { formatVersion, pointerSize, processors, processId, samplingInterval } = head;
  const properties = Object.fromEntries(head.properties);
  if (samplingInterval !== undefined) properties.ExpectedCPUSamplingRate = String(samplingInterval);
  return {
    format: formatVersion === FormatVersion.NetPerf ? 'netperf' : 'nettrace',
    formatVersion,
    startTime: clock.startTime,
    hasWallTime: true,
    pointerSize,
    ...(processors !== undefined && { processors }),
    ...(processId !== undefined && { processId }),
    properties,
  };
}

/** About as many events as a few batches. */
const PIECE_SIZE = 1 << 16;

async function* smallPieces(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length; at += PIECE_SIZE) yield chunk.subarray(at, at + PIECE_SIZE);
  }
}

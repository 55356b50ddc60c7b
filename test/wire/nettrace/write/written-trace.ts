/** A trace to write, and what is read back from it. */
import { expect } from 'vitest';
import type { NetTraceWriter } from '../../../../lib/wire/nettrace/write/nettrace-writer.ts';
import type { WrittenTrace } from '../../../../lib/wire/nettrace/write/trace-parts.ts';
import { readTrace } from '../nettrace-bytes.ts';
import { checkNetTrace } from './nettrace-checker.ts';

export const TRACE: WrittenTrace = {
  startTimeMs: Date.UTC(2026, 10, 21, 12, 30, 15, 250),
  syncTicks: 1000n,
  ticksPerSecond: 10_000_000n,
  pointerSize: 8,
  processId: 4321,
  processors: 2,
  samplingInterval: 1_000_000,
  properties: [['Ponies', 'many']],
};
export const KIND = {
  provider: 'My-Company',
  eventId: 7,
  name: 'RequestStart',
  keywords: 0x8000_0000_0000_0001n,
  version: 2,
  level: 4,
  opcode: 1,
  fields: [],
};
export const NOTHING = new Uint8Array();
export const ACTIVITY = '00000011-0000-0000-0000-0000c21a5d59';
export const OTHER = '00001121-0000-0000-0000-0000d31a5d59';

/** Ends the trace, holds it to the rules, and reads it. */
export function written(writer: NetTraceWriter, ...pieces: Uint8Array[]) {
  return readPieces(...pieces, writer.end());
}

/** Holds a whole trace to the rules, and reads it. */
export function readPieces(...pieces: Uint8Array[]) {
  const bytes = new Uint8Array(Buffer.concat(pieces));
  const checked = checkNetTrace(bytes);
  const { parser, events } = readTrace(bytes, 1000);
  expect(parser.fault).toBeUndefined();
  return { bytes, checked, head: parser.head, lostEvents: parser.lostEvents, events };
}

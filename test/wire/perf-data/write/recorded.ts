/** A small recording, as in files and through pipes. */
import { sideBandAttr, tracepointAttr } from '../../../../lib/wire/perf-data/write/attr.ts';
import type { RecordingFacts } from '../../../../lib/wire/perf-data/write/features.ts';
import { tracingData } from '../../../../lib/wire/perf-data/write/tracing-data.ts';
import { Bytes } from '../file-bytes.ts';

const TRACEPOINT_ID = 1234;
const TRACEPOINT_EVENT = 77n;
export const SIDE_BAND_EVENT = 5n;
export const FORMAT = `name: P_L5K1
ID: ${TRACEPOINT_ID}
format:
\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;
\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;

\tfield:u8 eventheader_flags;\toffset:8;\tsize:1;\tsigned:0;
`;
/** An EventHeader event "E" with a u8 field. */
export const EVENT = [7, 0, 0, 0, 0, 0, 0, 5, 5, 0, 1, 0, 0x45, 0, 0x69, 0, 2, 9];

const text = (value: string) => new TextEncoder().encode(value);

export const facts: RecordingFacts = {
  tracingData: tracingData({
    pageSize: 4096,
    headerPage: text('page'),
    headerEvent: text('event'),
    formats: new Map([['user_events', [text(FORMAT)]]]),
    savedCommandLines: text('11 node\n'),
  }),
  hostname: 'host',
  osRelease: '6.12',
  version: '1.0',
  arch: 'x86_64',
  cpus: { available: 2, online: 1 },
  commandLine: ['tracewright', 'record'],
  events: [
    { name: 'user_events:P_L5K1', attr: tracepointAttr(TRACEPOINT_ID), ids: [TRACEPOINT_EVENT, 78n] },
    { name: 'dummy:HG', attr: sideBandAttr(1024), ids: [SIDE_BAND_EVENT, 6n] },
  ],
  sampleTime: { first: 1000n, last: 2000n },
  clock: { wall: 1_700_000_000_000_000_000n, monotonic: 500n },
};

/** A sample as the kernel writes it for `tracepointAttr`. */
export function sample(timeNs: bigint): Uint8Array {
  const raw = new Bytes(true).u16(TRACEPOINT_ID).raw([0, 0]).u32(10).raw(EVENT).raw([0, 0]).done();
  const body = new Bytes(true).u64(TRACEPOINT_EVENT).u64(0).u32(10).u32(11).u64(timeNs).u32(3).u32(0);
  body.u64(1).u32(raw.length).raw(raw);
  const bytes = body.done();
  return new Bytes(true)
    .u32(9)
    .u16(0)
    .u16(8 + bytes.length)
    .raw(bytes)
    .done();
}

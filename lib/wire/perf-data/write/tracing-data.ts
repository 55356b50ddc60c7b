/**
 * The tracing data feature: formats of the recorded tracepoints, in trace-cmd's layout. Source: trace-cmd.dat(5) and
 * Linux `tools/perf/util/trace-event-info.c`.
 */
import { ByteWriter } from '../../../base/byte-writer.ts';

const MAGIC = Uint8Array.of(0x17, 0x08, 0x44, ...new TextEncoder().encode('tracing'));
/** The names of threads are at the end from 0.6 on. */
const VERSION = '0.6';
const LITTLE_ENDIAN = 0;
const LONG_SIZE = 8;

/** The kernel's own texts, as in its files. */
export interface TracingData {
  readonly pageSize: number;
  /** `events/header_page` and `events/header_event` of tracefs. */
  readonly headerPage: Uint8Array;
  readonly headerEvent: Uint8Array;
  /** The key is the system of the tracepoints, the value their `format` files. */
  readonly formats: ReadonlyMap<string, readonly Uint8Array[]>;
  /** `saved_cmdlines` of tracefs. */
  readonly savedCommandLines: Uint8Array;
}

export function tracingData(data: TracingData): Uint8Array {
  const writer = formatsOf(data);
  sized(writer, data.savedCommandLines);
  return writer.current();
}

/**
 * Returns tracing data with room for more formats: what must precede the zeros that fill it up to `size` bytes. The
 * zeros count as thread names, of which there are none.
 *
 * @returns undefined if there are too many formats for the size
 */
export function roomyTracingData(
  data: Omit<TracingData, 'savedCommandLines'>,
  size: number,
): Uint8Array | undefined {
  const writer = formatsOf(data);
  const room = size - writer.length - 8;
  return room < 0 ? undefined : writer.uint64(room).current();
}

function formatsOf(data: Omit<TracingData, 'savedCommandLines'>): ByteWriter {
  const writer = new ByteWriter()
    .bytes(MAGIC)
    .terminatedUtf8(VERSION)
    .uint8(LITTLE_ENDIAN)
    .uint8(LONG_SIZE)
    .uint32(data.pageSize);
  sized(writer.terminatedUtf8('header_page'), data.headerPage);
  sized(writer.terminatedUtf8('header_event'), data.headerEvent);
  writer.uint32(0); // formats of ftrace's own events
  writer.uint32(data.formats.size);
  for (const [system, formats] of data.formats) {
    writer.terminatedUtf8(system).uint32(formats.length);
    for (const format of formats) sized(writer, format);
  }
  // Kernel symbols and printk formats: user_events do not refer to them.
  return writer.uint32(0).uint32(0);
}

function sized(writer: ByteWriter, content: Uint8Array): void {
  writer.uint64(content.length).bytes(content);
}

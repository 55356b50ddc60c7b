/** Takes a merged .etl apart again, into what the sessions of the kernel and of the providers wrote. */
import { openBuffer } from '../../../lib/wire/etl/buffer.ts';
import { readLogFileHeader } from '../../../lib/wire/etl/log-file-header.ts';
import { RecordCursor } from '../../../lib/wire/etl/record-cursor.ts';
import { Layout } from '../../../lib/wire/etl/record-type.ts';
import { bufferBytes, etlBytes, type HeaderParts } from '../../wire/etl/etl-bytes.ts';

const ZERO = { high: 0, low: 0 };

/** How much later than the kernel's session the other one starts, in ticks of 100 ns. */
export const LATER = 12_345_678n;

export function splitRecording(whole: Uint8Array): { kernel: Uint8Array; user: Uint8Array } {
  const parts: Record<'kernel' | 'user', Uint8Array[]> = { kernel: [], user: [] };
  let header: HeaderParts = {};
  for (let position = 0; position < whole.length; ) {
    const buffer = openBuffer(whole.subarray(position), position);
    const cursor = new RecordCursor(buffer, ZERO);
    const records: Record<'kernel' | 'user', Uint8Array[]> = { kernel: [], user: [] };
    while (cursor.next()) {
      if (position === 0 && cursor.offset === 0x48) {
        const { performanceFrequency, startTime, bootTime, rawTime } = readLogFileHeader(cursor);
        header = { frequency: performanceFrequency, startTime, bootTime, rawTime };
        continue;
      }
      const isUser = cursor.layout === Layout.Event || cursor.layout === Layout.Message;
      records[isUser ? 'user' : 'kernel'].push(buffer.bytes.slice(cursor.offset, cursor.end));
    }
    const options = { processor: buffer.header.processor, flags: 0x20 };
    for (const kind of ['kernel', 'user'] as const) {
      if (records[kind].length > 0) parts[kind].push(bufferBytes(records[kind], options));
    }
    position += buffer.header.size;
  }
  const later = {
    ...header,
    rawTime: (header.rawTime ?? 0n) + LATER,
    startTime: (header.startTime ?? 0n) + LATER,
  };
  return { kernel: etlBytes(parts.kernel, header), user: etlBytes(parts.user, later) };
}

/** Rows of version 6's thread block. */
import { ThreadEntry } from '../constants.ts';
import type { NetTraceBytes } from './byte-writer.ts';
import { writeSized16 } from './sized-part.ts';
import type { WrittenThread } from './trace-parts.ts';

/** Adds the row to a block. If it would be too large, it contains only the ids. */
export function writeThreadRow(bytes: NetTraceBytes, index: number, thread: WrittenThread): void {
  if (writeSized16(bytes, () => writeRow(bytes, index, thread))) return;
  const { processId, threadId } = thread;
  writeSized16(bytes, () => writeRow(bytes, index, { processId, threadId }));
}

function writeRow(bytes: NetTraceBytes, index: number, thread: WrittenThread): boolean {
  const { name, processId, threadId, properties = [] } = thread;
  bytes.varUint(index);
  if (name !== undefined) {
    bytes.uint8(ThreadEntry.Name);
    bytes.utf8(name);
  }
  if (processId !== undefined) {
    bytes.uint8(ThreadEntry.ProcessId);
    bytes.varId64(processId);
  }
  if (threadId !== undefined) {
    bytes.uint8(ThreadEntry.ThreadId);
    bytes.varId64(threadId);
  }
  for (const [key, value] of properties) {
    bytes.uint8(ThreadEntry.KeyValue);
    bytes.utf8(key);
    bytes.utf8(value);
  }
  return true;
}

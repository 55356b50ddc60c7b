/** A thread's part in a session of the main thread, run in the test's own thread. */
import { expect, it } from 'vitest';
import { ProviderRequests } from '../../../lib/eventpipe/requests.ts';
import { allocateSharedMemory } from '../../../lib/eventpipe/threads/shared-memory.ts';
import { SharedMemoryReader } from '../../../lib/eventpipe/threads/shared-memory-reader.ts';
import { ThreadPart } from '../../../lib/eventpipe/threads/thread-part.ts';
import { defineEventSource, event } from '../../../lib/index.ts';
import { CLOCK_OFFSET } from '../../../lib/listen/timestamp.ts';

const PROVIDER = 'Thread-Part-Test';
const log = defineEventSource(PROVIDER, { Ping: event({ n: 'int32' }) });

it('the main thread does not wait for itself if another of its contexts has the session', () => {
  const memory = allocateSharedMemory(1);
  const { byName: requests } = ProviderRequests.from(PROVIDER);
  const part = new ThreadPart({ group: 'x', requests, memory, waits: true, clockOffset: CLOCK_OFFSET });
  part.add();
  const start = performance.now();
  for (let n = 0; n < 20_000; n++) log.Ping({ n });
  part.end();
  expect(performance.now() - start).toBeLessThan(2000);
  const losses = [...new SharedMemoryReader(memory).losses(true)];
  expect(losses).toMatchObject([{ thread: 1, count: expect.any(Number) }]);
});

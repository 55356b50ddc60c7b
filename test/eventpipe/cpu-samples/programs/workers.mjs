// Samples the main thread while it and two worker threads write events. Argument: the file.
import { isMainThread, Worker } from 'node:worker_threads';
import { defineEventSource, event, startSession } from '../../../../dist/cjs/index.mjs';

const log = defineEventSource('Cpu-Samples-Workers', { Step: event({ n: 'int32' }) });

/** 2.5 seconds, so that samples are fetched amid the events. */
async function write() {
  for (let n = 0; n < 250; n++) {
    const end = performance.now() + 10;
    while (performance.now() < end) log.isEnabled();
    log.Step({ n });
    await new Promise(setImmediate);
  }
}

if (isMainThread) {
  const providers = 'Cpu-Samples-Workers,Microsoft-DotNETCore-SampleProfiler:0:4';
  const session = startSession({ providers, output: process.argv[2] });
  const ends = [1, 2].map(() => {
    const worker = new Worker(new URL(import.meta.url));
    return new Promise((resolve) => worker.on('exit', resolve));
  });
  await Promise.all([write(), ...ends]);
  await session.close();
} else await write();

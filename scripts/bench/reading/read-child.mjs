/**
 * Reads one trace in a separate process, so that its memory can be measured, and prints the result as JSON. Arguments:
 * the file, and what to do: `scan` its bytes, read the `headers` of events, or the `payloads`, too.
 */
import { closeSync, openSync, readSync, statSync } from 'node:fs';

const [file, task] = process.argv.slice(2);
const size = statSync(file).size;
/** The results are used, so that no compiler can omit the work. */
let sink = 0;

async function readOnce() {
  const { openTrace } = await import('../../../dist/trace/open-trace.js');
  let events = 0;
  const trace = await openTrace(file);
  for await (const batch of trace.batches()) {
    events += batch.length;
    for (const event of batch) {
      sink += event.id + event.level + (event.threadId ?? 0) + event.provider.length + event.name.length;
      if (task === 'payloads') for (const _ in event.payload) sink++;
    }
  }
  return events;
}

/** In chunks as large as those in which traces are read. */
const piece = Buffer.alloc(1 << 20);

function scanOnce() {
  const handle = openSync(file, 'r');
  for (;;) {
    const length = readSync(handle, piece);
    if (length === 0) break;
    let sum = 0;
    for (let i = 0; i < length; i++) sum = (sum + piece[i]) | 0;
    sink += sum;
  }
  closeSync(handle);
  return 0;
}

// One warm-up run, so that the file is in the system's memory; several for small files, until the compiler has
// finished.
/** @type {() => number | Promise<number>} */
const once = task === 'scan' ? scanOnce : readOnce;
const rounds = Math.min(40, Math.max(2, Math.ceil(64e6 / size)));
let best = Number.POSITIVE_INFINITY;
let events = 0;
for (let round = 0; round < rounds; round++) {
  const start = performance.now();
  events = await once();
  best = Math.min(best, performance.now() - start);
}
const maxRssBytes = process.resourceUsage().maxRSS * 1024;
process.stdout.write(JSON.stringify({ seconds: best / 1000, events, size, maxRssBytes, sink: sink > 0 }));

// A program of many tracepoints: `many-tracepoints.mjs COUNT SECONDS` writes an event of each again and again until the
// time is over, and once at least.
import { defineEventSource, event } from 'tracewright';

const [count, seconds] = process.argv.slice(2).map(Number);
const end = performance.now() + 1000 * seconds;
const names = Array.from({ length: count }, (_, number) => `Event${number}`);
const log = defineEventSource(
  'Many-Tracepoints',
  Object.fromEntries(
    names.map((name, number) => [name, event({ number: 'uint32' }, { keywords: BigInt(number + 1) })]),
  ),
);
do {
  for (const [number, name] of names.entries()) log[name]({ number });
} while (performance.now() < end);

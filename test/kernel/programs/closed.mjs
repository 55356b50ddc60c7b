// Closes and redefines a source while its tracepoint is recorded, and closes many for good.
import { defineEventSource, event } from 'tracewright';
import * as tracefs from './tracefs.mjs';

const TRACEPOINT = 'Closed_L4K0';
const EVENTS = { Tick: event({ number: 'uint32' }) };

const old = defineEventSource('Closed', EVENTS);
tracefs.clear();
tracefs.setRecorded(TRACEPOINT, true);
await tracefs.until(() => old.Tick.enabled, 'the event to be enabled');
old.Tick({ number: 1 });
old.close();
old.Tick({ number: 2 });

// Has the word that was the old one's.
const other = defineEventSource('ClosedOther', EVENTS);
const again = defineEventSource('Closed', EVENTS);
await tracefs.until(() => again.Tick.enabled, 'the event to be enabled again');
again.Tick({ number: 3 });
other.Tick({ number: 4 });
old.Tick({ number: 5 });
tracefs.setRecorded(TRACEPOINT, false);
await tracefs.until(() => !again.Tick.enabled, 'the event to be disabled');
const lines = tracefs.recordedLines().length;

// Many registrations of one tracepoint, which go.
const many = Object.fromEntries(Array.from({ length: 22 }, (_, n) => [`Event${n}`, event()]));
for (let round = 0; round < 100; round++) {
  const source = defineEventSource('ClosedMany', { ...many, [`Round${round}`]: event() });
  if (source.status.problems.length > 0) throw new Error(source.status.problems[0]);
  source.close();
}
await tracefs.until(() => !tracefs.isKnown('ClosedMany_L4K0'), 'the closed tracepoint to be gone');
const last = defineEventSource('ClosedMany', many);
tracefs.setRecorded('ClosedMany_L4K0', true);
await tracefs.until(() => last.Event21.enabled, 'the last definition to be enabled');
tracefs.setRecorded('ClosedMany_L4K0', false);
console.log(
  JSON.stringify({
    lines,
    stats: [old, again, other].map((source) => [source.stats().written, source.stats().dropped]),
    id: last.Event0.identity.id,
  }),
);

/**
 * How the compiler checks writing events. Checked by `npm run check` (tsc): an expected error that does not occur is an
 * error. Nothing here is run.
 */
import { defineEventSource, EventListener, type EventOf, event, listen } from '../../lib/index.ts';

const log = defineEventSource('P', {
  RequestStart: event({ url: 'string' }),
  RequestStop: event({ success: 'bool', errorMessage: 'string' }),
  QueryStart: event(),
  QueryStop: event({ rows: 'int32' }),
  StepStart: event(),
  StepStop: event(),
  HalfStart: event(),
  HalfStop: event({ success: 'bool' }),
  MoreStart: event(),
  MoreStop: event({ success: 'bool', rows: 'int32' }),
  Ping: event(),
  Maybe: event({ size: 'uint32?' }),
  Note: event({ text: 'string', size: 'uint32?' }),
  All: event({
    count: 'uint64',
    at: 'time',
    ids: 'uint32[]',
    names: 'string[]',
    data: 'json',
    user: { name: 'string', age: 'uint8?' },
    rows: [{ id: 'guid' }],
  }),
});

// Payloads.
log.Note({ text: 'x' });
log.Note({ text: 'x', size: 1 });
log.Note({ text: 'x', size: null });
log.Note({ text: 'x', size: undefined });
log.Note(() => ({ text: 'x' }));
log.Note({ text: 'x' }, { activityId: '', relatedActivityId: '' });
log.Ping();
log.Ping({});
log.Maybe();
log.Maybe({ size: 5 });
const all = {
  count: 1n,
  at: new Date(),
  ids: [1],
  names: ['x'],
  data: { any: ['thing'] },
  user: { name: 'x' },
  rows: [{ id: new Uint8Array(16) }],
};
log.All(all);
log.All({ ...all, count: 1, at: 5, ids: Uint32Array.of(1), user: { name: 'x', age: null } });
log.All({ ...all, names: ['a', 'b'] as const, rows: [] });

// @ts-expect-error a field is missing
log.Note({});
// @ts-expect-error the payload is missing
log.Note();
// @ts-expect-error no such field
log.Note({ text: 'x', sise: 1 });
// @ts-expect-error of another type
log.Note({ text: 5 });
// @ts-expect-error null only where the definition says so
log.Note({ text: null });
// @ts-expect-error the function's payload, too
log.Note(() => ({ text: 5 }));
// @ts-expect-error no such option
log.Ping({}, { activity: '' });
// @ts-expect-error in a struct
log.All({ ...all, user: { name: 5 } });
// @ts-expect-error in an array of structs
log.All({ ...all, rows: [{ id: 7 }] });
// @ts-expect-error elements of another type
log.All({ ...all, names: [1] });
// @ts-expect-error numbers are no bigints
log.All({ ...all, ids: [1n] });
// @ts-expect-error a typed array of bigints for a field of numbers
log.All({ ...all, ids: BigInt64Array.of(1n) });

// Handles.
log.QueryStart().stop({ rows: 1 });
log.QueryStart().stop(() => ({ rows: 1 }));
log.QueryStart().stop();
const ran: number = log.QueryStart().run(() => 5);
void ran;
// @ts-expect-error another type
log.QueryStart().stop({ rows: '1' });
// @ts-expect-error no Start, no handle
log.Ping().stop();

// Activities.
const text: string = log.activity('Request', { url: '/' }, () => 'x');
const promise: Promise<number> = log.activity('Request', { url: '/' }, async () => 1);
void text;
void promise;
log.activity(
  'Request',
  () => ({ url: '/' }),
  () => {},
);
log.activity('Step', {}, () => {});
log.activity('Half', {}, () => {});
log.activity('Half', {}, { stop: ({ success }) => ({ success }) }, () => {});
log.activity(
  'Query',
  {},
  { stop: (outcome) => ({ rows: outcome.success ? outcome.value : -1 }) },
  async () => 5,
);

// @ts-expect-error no such activity
log.activity('Requst', { url: '/' }, () => {});
// @ts-expect-error an event, but no activity
log.activity('Ping', {}, () => {});
// @ts-expect-error the Start's payload is missing
log.activity('Request', () => {});
// @ts-expect-error a field of the Start is missing
log.activity('Request', {}, () => {});
// @ts-expect-error the Stop has a field that the outcome does not fill
log.activity('Query', {}, () => {});
// @ts-expect-error one of the Stop's fields is filled, the other not
log.activity('More', {}, () => {});
// @ts-expect-error the stop option makes another payload
log.activity('Query', {}, { stop: () => ({ row: 1 }) }, () => {});
log.activity(
  'Query',
  {},
  // @ts-expect-error the outcome's value is a number
  { stop: (outcome) => ({ rows: outcome.success ? outcome.value.length : 0 }) },
  () => 5,
);

// The same by the activity itself.
const length: number = log.Request.run({ url: '/' }, () => 'x').length;
const later: Promise<number> = log.Request.run(
  () => ({ url: '/' }),
  { parent: undefined },
  async () => 1,
);
void length;
void later;
log.Half.run({}, () => {});
log.Query.run({}, { stop: (outcome) => ({ rows: outcome.success ? outcome.value : -1 }) }, async () => 5);

// @ts-expect-error no such activity
log.Requst.run({ url: '/' }, () => {});
// @ts-expect-error a field of the Start is missing
log.Request.run({}, () => {});
// @ts-expect-error the Stop has a field that the outcome does not fill
log.Query.run({}, () => {});
// @ts-expect-error the stop option makes another payload
log.Query.run({}, { stop: () => ({ row: 1 }) }, () => {});

// An event, or another member of the source, comes before an activity of its name.
const shadowed = defineEventSource('P', {
  Job: event({ id: 'int32' }),
  JobStart: event(),
  JobStop: event(),
  writeStart: event(),
  writeStop: event(),
});
shadowed.Job({ id: 1 });
shadowed.write('Event', {});
// @ts-expect-error an event
shadowed.Job.run({}, () => {});

// Listening.
listen(log, ({ name, payload }) => `${name} ${String(payload.text)}`, { level: 3, keywords: 0x1n });
// @ts-expect-error keywords are bigints
listen(log, () => {}, { keywords: 1 });
// @ts-expect-error misspelt
listen(log, () => {}, { levels: 3 });
// @ts-expect-error no source
listen({}, () => {});

// Events without a definition.
log.write('Any');
log.write('Any', { a: 1, b: ['x'] }, { level: 4, keywords: 'k', opcode: 11, tag: 1, activityId: '' });
log.write('Any', () => all);
// @ts-expect-error a payload has names
log.write('Any', 5);
// @ts-expect-error no such option
log.write('Any', {}, { id: 1 });

// Listeners: the name tells the fields.
listen(log, (written) => {
  const any: unknown = written.payload.whatever;
  if (written.name === 'Note') {
    const text: string = written.payload.text;
    const size: number | null | undefined = written.payload.size;
    // @ts-expect-error of another type
    const wrong: number = written.payload.text;
    void [text, size, wrong];
  }
  // @ts-expect-error there is no such event
  if (written.name === 'Nota') return;
  void any;
});
new EventListener<EventOf<typeof log>>({
  onEventWritten(written) {
    if (written.name === 'QueryStop') written.payload.rows satisfies number;
  },
});
new EventListener({ onEventWritten: (written) => written.payload.whatever });

// Keywords: names are the source's own.
defineEventSource('P', { A: event({}, { keywords: 'Net' }) }, { keywords: { Net: 0x1n, Disk: 0x2n } });
defineEventSource(
  'P',
  { A: event({}, { keywords: ['Net', 'Disk'] }) },
  { keywords: { Net: 0x1n, Disk: 0x2n } },
);
// @ts-expect-error misspelt
defineEventSource('P', { A: event({}, { keywords: 'Nett' }) }, { keywords: { Net: 0x1n } });
defineEventSource(
  'P',
  // @ts-expect-error one of them misspelt
  { A: event({}, { keywords: ['Net', 'Dsk'] }) },
  { keywords: { Net: 0x1n, Disk: 0x2n } },
);
// @ts-expect-error the source names none
defineEventSource('P', { A: event({}, { keywords: 'Net' }) });
declare const names: Record<string, bigint>;
declare const computed: string;
defineEventSource('P', { A: event({}, { keywords: computed }) }, { keywords: names });

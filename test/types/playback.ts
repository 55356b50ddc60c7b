/**
 * How the compiler checks queries of a playback. Checked by `npm run check` (tsc): an expected error that does not
 * occur is an error. Nothing here is run.
 */
import type { Observable } from 'rxjs';
import { defineEventSource, event } from '../../lib/index.ts';
import { Playback, type PlayedEvent, type Timestamped, TraceEvent } from '../../lib/playback/index.ts';

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const same = <A, B>(..._: Same<A, B> extends true ? [] : ['the types differ']) => {};
type In<O> = O extends Observable<infer Event> ? Event : never;
/** With the members of intersections in one place. */
type Flat<T> = { readonly [Name in keyof T]: T[Name] };

const log = defineEventSource('P', {
  Ping: event(),
  All: event({
    count: 'uint64',
    size: 'uint32?',
    total: 'hex64?',
    at: 'time',
    isDone: 'bool',
    ids: 'uint32[]',
    big: 'int64[]',
    names: 'string[]',
    data: 'json',
    bytes: 'binary',
    host: 'ipAddress',
    user: { name: 'string', age: 'uint8?' },
    rows: [{ id: 'guid' }],
  }),
});

const playback = new Playback();

// An event of an event source: its payload as a trace gives it back.
const all = playback.getObservable(log.All);
same<
  Flat<In<typeof all>['payload']>,
  {
    readonly count: bigint;
    readonly size: number | null;
    readonly total: bigint | null;
    readonly at: bigint;
    readonly isDone: boolean;
    readonly ids: readonly number[];
    readonly big: readonly bigint[];
    readonly names: readonly string[];
    readonly data: string;
    readonly bytes: Uint8Array;
    readonly host: string;
    readonly user: In<typeof all>['payload']['user'];
    readonly rows: In<typeof all>['payload']['rows'];
  }
>();
declare const payload: In<typeof all>['payload'];
same<Flat<typeof payload.user>, { readonly name: string; readonly age: number | null }>();
same<(typeof payload.rows)[number]['id'], string>();

// Others.
const ping = playback.getObservable(log.Ping);
same<In<typeof ping>['timestamp'], bigint>();
const trace = playback.getObservable(TraceEvent);
same<In<typeof trace>, TraceEvent>();
const byId = playback.getObservable({ provider: 'P', id: 1 });
same<In<typeof byId>, PlayedEvent>();
const chosen = playback.getObservable((event: TraceEvent) => event.level < 3);
same<In<typeof chosen>, TraceEvent>();
const dates = playback.getObservable((event: unknown): event is Date => event instanceof Date);
same<In<typeof dates>, Date>();
const some = playback.getAll(Date, TraceEvent);
same<In<typeof some>, Timestamped<Date | TraceEvent>>();
const everything = playback.getAll();
same<In<typeof everything>, Timestamped<unknown>>();

// @ts-expect-error neither id nor name
playback.getObservable({ provider: 'P' });
// @ts-expect-error no time
playback.addEvents([1]);
// @ts-expect-error milliseconds are no time
playback.addEvents([1], (event) => event);

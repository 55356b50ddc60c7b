/**
 * How the compiler checks definitions. Checked by `npm run check` (tsc): an expected error that does not occur is an
 * error.
 */
import {
  type ActivityHandle,
  bitMap,
  defineEventSource,
  event,
  Level,
  type PayloadOf,
  valueMap,
} from '../../lib/index.ts';

/** Accepts nothing but the very type. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
function same<A, B>(_same: Same<A, B>): void {}
/** Each alone and with its modifiers resolved, so that types can be compared. */
type Plain<T> = { [Name in keyof T]: T[Name] };

// The values of each type of field.
same<
  Plain<PayloadOf<{ a: 'string'; b: 'uint32'; c: 'bool' }>>,
  { readonly a: string; readonly b: number; readonly c: boolean }
>(true);
same<PayloadOf<{ a: 'int64' }>['a'], bigint | number>(true);
same<PayloadOf<{ a: 'binary' }>['a'], Uint8Array>(true);
same<PayloadOf<{ a: 'guid' }>['a'], string | Uint8Array>(true);
same<PayloadOf<{ a: 'time' }>['a'], Date | number>(true);
same<PayloadOf<{ a: 'json' }>['a'], unknown>(true);
same<PayloadOf<{ a: 'string[]' }>['a'], readonly string[]>(true);
same<PayloadOf<{ a: 'uint8?[]' }>['a'], readonly (number | null | undefined)[]>(true);
same<PayloadOf<{ a: [{ b: 'bool' }] }>['a'][number]['b'], boolean>(true);
same<PayloadOf<{ a: { b: { c: 'double' } } }>['a']['b']['c'], number>(true);

// Numbers with names.
declare enum Status {
  Idle,
  Busy,
}
const status = valueMap('Status', Status, 'uint8');
const access = bitMap('Access', { Read: 1, Write: 2 } as const);
same<Plain<PayloadOf<{ a: typeof status; b: 'bool' }>>, { readonly a: number; readonly b: boolean }>(true);
same<PayloadOf<{ a: readonly [typeof access] }>['a'], PayloadOf<{ a: 'uint32[]' }>['a']>(true);
event({ a: status, b: [access], c: { d: access } });
// @ts-expect-error maps have unsigned types
valueMap('Status', Status, 'int32');

// Field types.
event({ a: 'uint32', b: 'uint32?', c: 'uint32[]', d: 'uint32?[]', e: { f: 'string' }, g: [{ h: 'guid' }] });
// @ts-expect-error there is no such type
event({ a: 'number' });
// @ts-expect-error text cannot be null
event({ a: 'string?' });
// @ts-expect-error neither can an array
event({ a: 'uint32[]?' });
// @ts-expect-error an array of structs is one struct in brackets
event({ a: [{ b: 'bool' }, { c: 'bool' }] });

// Options.
event({}, { level: Level.Error, keywords: 0x2n });
event({}, { keywords: ['Net', 'Disk'] });
// @ts-expect-error misspelt
event({}, { keyword: 0x2n });
// @ts-expect-error keywords are bigints
event({}, { keywords: 2 });
// @ts-expect-error misspelt
defineEventSource('P', {}, { throwOnError: true });
// @ts-expect-error there are two forms
defineEventSource('P', {}, { activityIds: '2015' });
// @ts-expect-error events are made by event()
defineEventSource('P', { A: { url: 'string' } });

// What the events of a source are.
const log = defineEventSource('P', {
  WorkStart: event({ url: 'string' }),
  WorkStop: event({ rows: 'int32' }),
  LoneStart: event({}, { opcode: 0 }),
  Note: event({ text: 'string', size: 'uint32?' }),
});
same<ReturnType<typeof log.WorkStop>, undefined>(true);
same<ReturnType<typeof log.LoneStart>, undefined>(true);
same<ReturnType<typeof log.Note>, undefined>(true);
const handle: ActivityHandle<{ readonly rows: number }> = log.WorkStart({ url: '/' });
same<typeof handle.id, string | undefined>(true);
same<typeof log.Note.enabled, boolean>(true);
// @ts-expect-error there is no such event
log.Nota({ text: '' });
// @ts-expect-error a source cannot be changed
log.Note = () => undefined;

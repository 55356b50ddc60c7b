// Events of every field type and kind, for the tracer of any system: the test compares what a Linux kernel recorded
// with what Windows received. The argument names a module that turns the tracer on: `record(source)`.
import { defineEventSource, event, Level, Opcode } from 'tracewright';

const { record } = await import(process.argv[2]);

const log = defineEventSource(
  'Tracewright-Everything',
  {
    RequestStart: event({ url: 'string' }),
    RequestStop: event({ success: 'bool', errorMessage: 'string' }),
    QueryStart: event({ text: 'string' }, { level: Level.Verbose, keywords: 'database' }),
    QueryStop: event({ rows: 'uint32' }, { level: Level.Verbose, keywords: 'database' }),
    Numbers: event({
      bool: 'bool',
      int8: 'int8',
      int16: 'int16',
      int32: 'int32',
      int64: 'int64',
      uint8: 'uint8',
      uint16: 'uint16',
      uint32: 'uint32',
      uint64: 'uint64',
      float: 'float',
      double: 'double',
      pid: 'pid',
      port: 'port',
    }),
    Hex: event({ hex8: 'hex8', hex16: 'hex16', hex32: 'hex32', hex64: 'hex64' }, { level: Level.Warning }),
    Texts: event({ text: 'string', wide: 'utf16', json: 'json' }, { keywords: ['database', 'text'] }),
    Others: event(
      { bytes: 'binary', guid: 'guid', time: 'time', ipv4: 'ipAddress', ipv6: 'ipAddress' },
      { level: Level.Error, id: 1000, version: 3, opcode: Opcode.Send, tag: 0x1234 },
    ),
    Arrays: event({ numbers: 'int32[]', doubles: 'double[]', texts: 'string[]', none: 'uint8[]' }),
    Structs: event({ user: { name: 'string', id: 'uint32' }, items: [{ sku: 'string', count: 'uint16' }] }),
    Empty: event({}, { level: Level.Critical }),
  },
  { keywords: { database: 0x1n, text: 0x2n } },
);

await record(log);

log.Numbers({
  bool: true,
  int8: -128,
  int16: -32768,
  int32: -2147483648,
  int64: -(2n ** 63n),
  uint8: 255,
  uint16: 65535,
  uint32: 4294967295,
  uint64: 2n ** 64n - 1n,
  float: 0.5,
  double: Math.PI,
  pid: 4242,
  port: 443,
});
log.Hex({ hex8: 0xff, hex16: 0xbeef, hex32: 0xdeadbeef, hex64: 0x0123456789abcdefn });
await log.activity('Request', { url: '/ä' }, async () => {
  log.Texts({ text: 'grün 😀', wide: 'weit 😀', json: { a: [1, null, 'ü'] } });
  await Promise.all(
    [1, 2].map((rows) =>
      log.activity('Query', { text: `SELECT ${rows}` }, { stop: () => ({ rows }) }, async () => {
        await null;
        log.Others({
          bytes: Uint8Array.of(0xde, 0xad),
          guid: '00112233-4455-6677-8899-aabbccddeeff',
          time: new Date('2026-11-21T05:00:00Z'),
          ipv4: '127.0.0.1',
          ipv6: '2001:db8::1',
        });
      }),
    ),
  );
});
await log
  .activity('Request', { url: '/broken' }, async () => Promise.reject(new Error('broken')))
  .catch(() => {});
log.Arrays({
  numbers: Int32Array.of(-1, 0, 1),
  doubles: [0.5, -1e300],
  texts: ['', 'ä', 'b'.repeat(50)],
  none: [],
});
log.Structs({
  user: { name: 'Ann', id: 7 },
  items: [
    { sku: 'A', count: 1 },
    { sku: 'B', count: 65535 },
  ],
});
log.Empty(undefined, { activityId: '00112233-4455-6677-8899-aabbccddeeff' });
log.Empty();
console.log(JSON.stringify(log.stats()));

/**
 * What a program wrote is read back from perf's recording, field for field: from a file, from a pipe, and from a file
 * with compressed records.
 */
import { createReadStream, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OpenedSource } from '../../lib/trace/byte-source.ts';
import { openPerfData } from '../../lib/trace/perf-data/open-perf-data.ts';
import { openFile } from '../../lib/trace/source/file-source.ts';
import { openStream } from '../../lib/trace/source/stream-source.ts';
import type { TraceEvent } from '../../lib/trace/trace-event.ts';
import { programs, runScript, skipReason, suiteName } from './guest.ts';

const windowsPrograms = fileURLToPath(new URL('../windows/programs', import.meta.url));
const EVENTS = '/sys/kernel/tracing/events/user_events';
const skipped = skipReason('uml');

/** Shell: perf with these options, to the end of the program; it says in /run that it records. */
const perf = (name: string, options: string) =>
  `perf record -q -a -k mono -e 'user_events:Tracewright_Everything_*' ${options} \
    sh -c "touch /run/records-${name}; while kill -0 $program 2>/dev/null; do sleep 0.1; done"`;

async function read(source: OpenedSource) {
  const reader = await openPerfData(source, { manifests: [] });
  const events: TraceEvent[] = [];
  for await (const batch of reader.batches()) events.push(...batch);
  return { ...reader, events };
}

/** What a test can foretell of an event. */
function shown(event: TraceEvent) {
  const { name, id, version, level, opcodeName, taskName, keywords, payload, payloadProblem } = event;
  expect(event.provider).toBe('Tracewright_Everything');
  expect(payloadProblem).toBeUndefined();
  const { activityPath, relatedActivityPath, activityId } = event;
  const activity = [activityPath ?? activityId, relatedActivityPath];
  return [name, [id, version, level, opcodeName, taskName, keywords], activity, { ...payload }];
}

const DATABASE = 1n;
const start = (path: string, url: string) => [
  'RequestStart',
  [1, 0, 4, 'Start', 'Request', 0n],
  [path, undefined],
  { url },
];
const stop = (path: string, success: boolean, errorMessage: string) => [
  'RequestStop',
  [2, 0, 4, 'Stop', 'Request', 0n],
  [path, undefined],
  { success, errorMessage },
];
const queryStart = (number: number) => [
  'QueryStart',
  [3, 0, 5, 'Start', 'Query', DATABASE],
  [`//1/1/${number}`, '//1/1'],
  { text: `SELECT ${number}` },
];
const queryStop = (number: number) => [
  'QueryStop',
  [4, 0, 5, 'Stop', 'Query', DATABASE],
  [`//1/1/${number}`, undefined],
  { rows: number },
];
const others = (number: number) => [
  'Others',
  [1000, 3, 2, 'Send', undefined, 0n],
  [`//1/1/${number}`, undefined],
  {
    bytes: Uint8Array.of(0xde, 0xad),
    guid: '00112233-4455-6677-8899-aabbccddeeff',
    time: BigInt(Date.parse('2026-11-21T05:00:00Z') / 1000),
    ipv4: '127.0.0.1',
    ipv6: '2001:db8::1',
  },
];
const plain = (name: string, id: number, level: number, keywords: bigint, payload: object, path?: string) => [
  name,
  [id, 0, level, 'Info', undefined, keywords],
  [path, undefined],
  payload,
];

const EXPECTED = [
  plain('Numbers', 5, 4, 0n, {
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
  }),
  plain('Hex', 6, 3, 0n, { hex8: 0xff, hex16: 0xbeef, hex32: 0xdeadbeef, hex64: 0x0123456789abcdefn }),
  start('//1/1', '/ä'),
  plain('Texts', 7, 4, 3n, { text: 'grün 😀', wide: 'weit 😀', json: '{"a":[1,null,"ü"]}' }, '//1/1'),
  queryStart(1),
  queryStart(2),
  others(1),
  others(2),
  queryStop(1),
  queryStop(2),
  stop('//1/1', true, ''),
  start('//1/2', '/broken'),
  stop('//1/2', false, 'broken'),
  plain('Arrays', 1001, 4, 0n, {
    numbers: [-1, 0, 1],
    doubles: [0.5, -1e300],
    texts: ['', 'ä', 'b'.repeat(50)],
    none: [],
  }),
  plain('Structs', 1002, 4, 0n, {
    user: { name: 'Ann', id: 7 },
    items: [
      { sku: 'A', count: 1 },
      { sku: 'B', count: 65535 },
    ],
  }),
  plain('Empty', 1003, 1, 0n, {}, '00112233-4455-6677-8899-aabbccddeeff'),
  plain('Empty', 1003, 1, 0n, {}),
];

describe.skipIf(skipped !== undefined)(suiteName("perf's recordings as traces", 'uml'), () => {
  let folder: string;
  let started: number;

  beforeAll(async () => {
    folder = mkdtempSync('/tmp/tracewright-test-');
    started = Date.now();
    await runScript(
      `cd '${windowsPrograms}'
      (node everything.mjs '${programs}/record-thrice.mjs' >/run/result) & program=$!
      until [ -e ${EVENTS}/Tracewright_Everything_L1K0 ]; do sleep 0.05; done
      ${perf('file', `-o ${folder}/file.data`)} >&2 & file=$!
      ${perf('packed', `-z -o ${folder}/packed.data`)} >&2 & packed=$!
      ${perf('pipe', '-o -')} | cat >${folder}/pipe.data
      wait $file && wait $packed && wait $program`,
      { rw: [folder] },
    );
  }, 120_000);
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  const expectAll = ({ info, progress, events }: Awaited<ReturnType<typeof read>>) => {
    expect(events.map(shown)).toEqual(EXPECTED);
    expect(new Set(events.map(({ processId }) => processId)).size).toBe(1);
    expect(progress).toMatchObject({ lostEvents: 0, lostBuffers: 0 });
    // Later versions of Node name their first thread.
    expect(progress.processNames.get(events[0]?.processId ?? 0)).toMatch(/^(node|MainThread)$/);
    expect(info).toMatchObject({ format: 'perf.data', hasWallTime: true, pointerSize: 8, processors: 1 });
    expect(info.properties.CMDLINE).toContain('perf record');
    const times = [info.startTime, ...events.map(({ timestamp }) => timestamp)];
    for (const [i, time] of times.entries()) {
      if (i > 0) expect(time).toBeGreaterThanOrEqual(times[i - 1] ?? 0n);
      expect(Math.abs(Number(time / 1_000_000n) - started)).toBeLessThan(120_000);
    }
  };

  it('in a file contain every event', async () => {
    expectAll(await read(await openFile(join(folder, 'file.data'))));
  });

  it('through a pipe contain every event', async () => {
    const stream = createReadStream(join(folder, 'pipe.data'), { highWaterMark: 1000 });
    expectAll(await read(await openStream(stream, 'the pipe')));
  });

  it('with compressed records contain every event', async () => {
    expectAll(await read(await openFile(join(folder, 'packed.data'))));
  });
});

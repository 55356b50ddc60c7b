/**
 * A nettrace of any size like that of a busy server: concurrent requests, a query in each, events in both, all with
 * their activity's id.
 */
import { closeSync, openSync, writeSync } from 'node:fs';
import { Guid } from '../../../dist/activity/guid.js';
import { appendNumber, endAfterNumber } from '../../../dist/activity/path-writer.js';
import { TypeCode } from '../../../dist/wire/nettrace/constants.js';
import { NetTraceBytes } from '../../../dist/wire/nettrace/write/byte-writer.js';
import { NetTraceWriter } from '../../../dist/wire/nettrace/write/nettrace-writer.js';
import { writePayload } from '../../../dist/wire/nettrace/write/payload-bytes.js';

const PROCESS_ID = 4321;
/** Concurrent requests. */
const CONCURRENT = 100;
/** Bytes between two sequence points, as in sessions. */
const FLUSH_SIZE = 1 << 16;
const START = 1n << 40n;

const INT32 = { code: TypeCode.Int32 };
const TEXT = { code: TypeCode.Utf16Text };
const BOOLEAN = { code: TypeCode.Boolean32 };
const DOUBLE = { code: TypeCode.Double };

/** In the order in which a request writes them. */
const EVENTS = {
  RequestStart: { method: TEXT, url: TEXT },
  CacheMiss: { key: TEXT, size: INT32 },
  QueryStart: { sql: TEXT },
  QueryStop: { rows: INT32, success: BOOLEAN },
  Rendered: { template: TEXT, milliseconds: DOUBLE },
  RequestStop: { status: INT32, success: BOOLEAN },
};

const SQL = 'select * from items where id = $1';

/** The events' fields; the numbers make them differ like those of a server. */
const PAYLOADS = {
  RequestStart: (n) => ({ method: 'GET', url: `http://site/items/${n % 9973}` }),
  CacheMiss: (n) => ({ key: `item:${n % 9973}`, size: n % 4096 }),
  QueryStart: (_, sql) => ({ sql }),
  QueryStop: (n) => ({ rows: n % 7, success: true }),
  Rendered: (n) => ({ template: 'item', milliseconds: (n % 1000) / 7 }),
  RequestStop: (n) => ({ status: n % 50 === 0 ? 500 : 200, success: n % 50 !== 0 }),
};

/** The steps of a request that are runs of the event loop: its handler's, and the one in which the query's rows come. */
const RUNS = new Set(['CacheMiss', 'QueryStop']);
const RUN = {
  number: INT32,
  startedAgoMSec: DOUBLE,
  durationMSec: DOUBLE,
  cpuMSec: DOUBLE,
  processorWaitMSec: DOUBLE,
  wokenBy: TEXT,
  isOwnCallback: BOOLEAN,
  lateMSec: DOUBLE,
  lateAtMostMSec: DOUBLE,
};

/**
 * The size is a maximum number of events, or an approximate number of bytes; `sqlLength`, the characters of a query's
 * text; `hasRuns`, whether the trace also says what the thread ran and waited for.
 * @returns the number of events written
 */
export function writeLargeActivities(
  path,
  {
    events = Number.POSITIVE_INFINITY,
    bytes = Number.POSITIVE_INFINITY,
    sqlLength = SQL.length,
    hasRuns = false,
  },
) {
  const writer = new NetTraceWriter(6, {
    startTimeMs: Date.UTC(2026, 10, 20),
    syncTicks: START,
    ticksPerSecond: 1_000_000_000n,
    pointerSize: 8,
    processId: PROCESS_ID,
    processors: 2,
  });
  const thread = writer.thread({ processId: PROCESS_ID, threadId: PROCESS_ID });
  const sql = SQL.padEnd(sqlLength, ' or id = $1');
  const names = Object.keys(EVENTS);
  const kinds = Object.entries(EVENTS).map(([name, types], index) =>
    kindOf(writer, name, types, index + 1, sql),
  );
  const runOf = hasRuns ? runWriter(writer) : undefined;
  const file = openSync(path, 'w');
  const requests = [];
  let written = 0;
  let size = 0;
  let ticks = START;
  let requestCount = 0;
  const flush = (piece) => {
    size += piece.length;
    writeSync(file, piece);
  };
  while (written < events && size < bytes) {
    // Round-robin, each at a different point of its work.
    const slot = (written * 37) % CONCURRENT;
    requests[slot] ??= requestOf(++requestCount);
    const request = requests[slot];
    ticks += BigInt(2000 + ((written * 7919) % 5000));
    writer.write({ thread, ticks, processor: 1, ...kinds[request.step].eventOf(request) });
    written++;
    const step = names[request.step];
    if (runOf !== undefined && RUNS.has(step)) {
      ticks += RUN_NS;
      writer.write({ thread, ticks, processor: 1, ...runOf(request, step) });
      written++;
    }
    if (++request.step === kinds.length) requests[slot] = undefined;
    if (writer.pendingBytes >= FLUSH_SIZE) flush(writer.flush());
  }
  flush(writer.end());
  closeSync(file);
  return written;
}

function requestOf(number) {
  // The thread's path, and below it those of the request and the query, as in .NET.
  const top = appendNumber(Guid.empty, 0, 1, PROCESS_ID);
  const end = endAfterNumber(1, number);
  const request = appendNumber(top, 1, number, PROCESS_ID);
  const query = appendNumber(request, end, 1, PROCESS_ID);
  return { number, step: 0, request, query };
}

/** Shorter ones count for the run before: see `lib/activity/runs.ts`. */
const RUN_NS = 50_000n;

function runWriter(writer) {
  const fields = Object.entries(RUN).map(([field, type]) => ({ name: field, type }));
  const head = { provider: 'Node.Runtime', eventId: 12, name: 'ActivityRun', keywords: 0x20n };
  const metadataId = writer.define({ ...head, version: 0, level: 6, opcode: 0, fields });
  const bytes = new NetTraceBytes();
  let number = 0;
  return ({ request }, step) => {
    const run = {
      number: number++,
      startedAgoMSec: 0.05,
      durationMSec: 0.05,
      cpuMSec: 0.05,
      processorWaitMSec: 0,
      wokenBy: step === 'QueryStop' ? 'socket' : 'http.server',
      isOwnCallback: true,
      lateMSec: 0.001,
      lateAtMostMSec: 0.002,
    };
    bytes.cut(0);
    writePayload(bytes, fields, run);
    return { metadataId, payload: bytes.current(), activityId: request };
  };
}

function kindOf(writer, name, types, eventId, sql) {
  const fields = Object.entries(types).map(([field, type]) => ({ name: field, type }));
  const metadataId = writer.define({
    provider: 'MyCompany-MyService',
    eventId,
    name,
    keywords: 0n,
    version: 0,
    level: 4,
    opcode: name.endsWith('Start') ? 1 : name.endsWith('Stop') ? 2 : 0,
    fields,
  });
  const bytes = new NetTraceBytes();
  const isOfQuery = name.startsWith('Query');
  return {
    eventOf({ number, request, query }) {
      bytes.cut(0);
      writePayload(bytes, fields, PAYLOADS[name](number, sql));
      const ids = isOfQuery ? { activityId: query } : { activityId: request };
      if (name === 'QueryStart') ids.relatedActivityId = request;
      return { metadataId, payload: bytes.current(), ...ids };
    },
  };
}

/**
 * The fuzzing targets: each decoder, with seed files and the errors that it may throw.
 *
 * @typedef {object} Target
 * @property {string} name
 * @property {number} weight how often it is chosen
 * @property {(bytes: Buffer) => readonly import('./mutate.mjs').Part[]} parts
 * @property {(dataFolder: string) => Buffer[] | Promise<Buffer[]>} seeds
 * @property {(bytes: Buffer) => unknown} run decodes everything; may be async
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { PerfettoExport } from '../../dist/export/perfetto-export.js';
import { SymbolFolders } from '../../dist/symbols/symbol-folders.js';
import { openTrace } from '../../dist/trace/open-trace.js';
import { openZstdBlocks } from '../../dist/trace/source/zstd-blocks.js';
import { decompressXpress } from '../../dist/wire/etl/xpress.js';
import { parseEventMapInfo } from '../../dist/wire/etw/event-map-info.js';
import { parseTraceEventInfo } from '../../dist/wire/etw/trace-event-info.js';
import { describeManifest } from '../../dist/wire/manifest/describe.js';
import { Block } from '../../dist/wire/nettrace/block.js';
import { BlockKind } from '../../dist/wire/nettrace/constants.js';
import { decodePayload } from '../../dist/wire/nettrace/payload.js';
import { decodePacked } from '../../dist/wire/packed/decode.js';
import { formatMessage } from '../../dist/wire/packed/message.js';
import { parseTracepointFormat } from '../../dist/wire/perf-data/tracepoint-format.js';
import { decodeTracepointV1 } from '../../dist/wire/tracepoint-v1/decode.js';
import { readTracepointV1Metadata } from '../../dist/wire/tracepoint-v1/metadata.js';
import { messageText } from '../../dist/wire/wpp/message-text.js';
import { parseTmf } from '../../dist/wire/wpp/tmf.js';
import { loadTestModule } from '../lib/test-module.mjs';
import {
  bombs,
  deflatedPackets,
  elfOfOneName,
  emptyFeatures,
  hostileNames,
  manifests,
  storedZip,
  tmfTexts,
  ZSTD,
} from './hostile.mjs';
import {
  anyParts,
  cutEtl,
  cutPerf,
  etlParts,
  nettraceParts,
  perfettoParts,
  perfParts,
} from './structure.mjs';

const { perfDataOf } = await loadTestModule('test/wire/eventheader/decode-event.ts');
const { etlOf } = await loadTestModule('test/wire/tracelogging/decode-event.ts');

/** The number of bytes to use of a large file: more would only slow down each run. */
const SEED_LIMIT = 160 << 10;

function filesOf(folder, extensions) {
  return readdirSync(folder)
    .filter((name) => extensions.some((extension) => name.endsWith(extension)))
    .map((name) => readFileSync(join(folder, name)));
}

/** Accesses everything that an event has. */
async function readAll(bytes) {
  const trace = await openTrace(bytes);
  for await (const batch of trace.batches()) {
    for (const event of batch) {
      JSON.stringify(event);
      event.payloadBytes;
    }
  }
}

/** A trace in Perfetto's format. */
async function perfettoOf(bytes) {
  const trace = await openTrace(bytes);
  const exporter = new PerfettoExport({ name: 'seed', info: trace.info });
  for await (const event of trace) exporter.add(event);
  return Buffer.concat([exporter.take(), ...exporter.end(trace)]);
}

/** Event 1 "Req" of the provider "Demo", with its metadata, an activity id, and the fields "/a" and 7. */
const TRACEPOINT_V1 = Buffer.concat([
  Buffer.from([1, 1, 0, 4, 0, 0x56, 0, 0x56, 0, 10, 0, 1, 0x40, 0, 0, 0]),
  Buffer.from('Demo\0', 'utf16le'),
  Buffer.from([1, 0, 0, 0]),
  Buffer.from('Req\0', 'utf16le'),
  Buffer.from([3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 2, 0, 0, 0, 18, 0, 0, 0]),
  Buffer.from('url\0', 'utf16le'),
  Buffer.from([9, 0, 0, 0]),
  Buffer.from('ms\0', 'utf16le'),
  Buffer.from([2, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]),
  Buffer.from('/a\0', 'utf16le'),
  Buffer.from([7, 0, 0, 0]),
]);

/** @type {readonly Target[]} */
export const TARGETS = [
  {
    name: 'etl',
    weight: 3,
    parts: etlParts,
    seeds: (folder) =>
      filesOf(join(folder, 'etl'), ['.etl']).map((file) => Buffer.from(cutEtl(file, SEED_LIMIT))),
    run: readAll,
  },
  {
    name: 'nettrace',
    weight: 6,
    parts: nettraceParts,
    seeds: (folder) =>
      filesOf(join(folder, 'nettrace'), ['.nettrace', '.netperf']).map((file) =>
        file.subarray(0, SEED_LIMIT / 8),
      ),
    run: readAll,
  },
  {
    name: 'perf-data',
    weight: 3,
    parts: perfParts,
    seeds: (folder) => {
      const files = filesOf(join(folder, 'perf-data'), ['.data']);
      return files.flatMap((file) => [cutPerf(file, 12), cutPerf(file, 60)]);
    },
    run: readAll,
  },
  {
    name: 'perfetto',
    weight: 3,
    parts: perfettoParts,
    seeds: async (folder) => {
      const traces = filesOf(join(folder, 'nettrace'), ['net10.v6.nettrace', 'samples.nettrace']);
      const exported = await Promise.all(traces.map(perfettoOf));
      return exported.flatMap((bytes) => [
        bytes.subarray(0, SEED_LIMIT / 8),
        deflatedPackets(bytes.subarray(0, 8192)),
      ]);
    },
    run: readAll,
  },
  {
    name: 'bombs',
    weight: 1,
    parts: nettraceParts,
    seeds: () => bombs(),
    run: readAll,
  },
  {
    name: 'perf-data-features',
    weight: 2,
    parts: perfParts,
    seeds: (folder) =>
      filesOf(join(folder, 'perf-data'), ['.data']).flatMap((file) => [
        emptyFeatures(cutPerf(file, 12)),
        hostileNames(cutPerf(file, 12)),
      ]),
    run: readAll,
  },
  {
    name: 'gzip',
    weight: 1,
    parts: anyParts,
    seeds: () => bombs().map((bytes) => gzipSync(bytes)),
    run: readAll,
  },
  {
    name: 'zip',
    weight: 1,
    parts: anyParts,
    seeds: (folder) => [storedZip(filesOf(join(folder, 'nettrace'), ['ParseMinimalTraceV6.nettrace'])[0])],
    run: readAll,
  },
  {
    name: 'zstd',
    weight: 1,
    parts: anyParts,
    seeds: () => ZSTD,
    run: async (bytes) => {
      const blocks = await openZstdBlocks();
      try {
        let size = 0;
        for (const piece of blocks.unpack(bytes)) size += piece.length;
        return size;
      } catch (error) {
        // Any problem becomes a TraceError of the record that contains it.
        if (!(error instanceof Error)) throw error;
      }
    },
  },
  {
    name: 'eventheader',
    weight: 4,
    parts: anyParts,
    seeds: (folder) =>
      linesOf(join(folder, 'eventheader', 'decode.jsonl')).map(({ hex }) => Buffer.from(hex, 'hex')),
    run: (bytes) => readAll(perfDataOf('Provider_L5K1', bytes)),
  },
  {
    name: 'tracelogging',
    weight: 2,
    parts: anyParts,
    seeds: (folder) =>
      linesOf(join(folder, 'tracelogging', 'encode.jsonl')).map(({ event_meta: metadata, data }) =>
        Buffer.concat([Buffer.from(metadata, 'hex'), Buffer.from(data, 'hex')]),
      ),
    run: (bytes) => {
      const size = bytes.length < 2 ? 0 : bytes.readUInt16LE(0);
      return readAll(etlOf(bytes.subarray(0, size), bytes.subarray(size)));
    },
  },
  {
    name: 'trace-event-info',
    weight: 2,
    parts: anyParts,
    seeds: async (folder) => eventInfosIn(join(folder, 'etl', 'net.4.5.2.x64.etl')),
    run: (bytes) => [parseTraceEventInfo(bytes), parseEventMapInfo(bytes)],
  },
  {
    name: 'xpress',
    weight: 1,
    parts: anyParts,
    seeds: (folder) => [compressedBuffer(readFileSync(join(folder, 'etl', 'net.4.5.2.x64.etl')))],
    run: (bytes) => decompressXpress(bytes, new Uint8Array(1 << 16), 0),
  },
  {
    name: 'tracepoint-v1',
    weight: 2,
    parts: anyParts,
    seeds: () => [TRACEPOINT_V1],
    run: (bytes) => {
      const { payload, metadata } = decodeTracepointV1(bytes);
      if (metadata === undefined) return;
      const { fields } = readTracepointV1Metadata(metadata);
      decodePayload(fields, new Block(BlockKind.Event, payload, 0), 0, payload.length);
    },
  },
  {
    name: 'manifest',
    weight: 1,
    parts: anyParts,
    seeds: (folder) => [
      ...filesOf(join(folder, 'etl'), ['.man']).map((file) => shortManifest(file)),
      ...manifests(),
    ],
    run: (bytes) => {
      const payload = Buffer.alloc(20_002, 0x41);
      payload.writeUInt16LE(5_000);
      for (const provider of describeManifest(bytes.toString())) {
        const event = provider.event(1, 0);
        if (event === undefined) continue;
        const decoded = decodePacked(event.fields, payload, 8);
        // Uint8Arrays and bigints are no JSON by themselves.
        JSON.stringify(decoded.payload, (_, value) => (typeof value === 'bigint' ? String(value) : value));
        formatMessage(event, decoded.payload, payload.length);
        formatMessage({ ...event, message: undefined }, decoded.payload, payload.length);
      }
    },
  },
  {
    name: 'tmf',
    weight: 1,
    parts: anyParts,
    seeds: () => tmfTexts(),
    run: (bytes) => {
      for (const message of parseTmf(bytes.toString(), 'a.tmf').messages) {
        const { payload } = decodePacked(message.fields, TMF_PAYLOAD, 8);
        messageText(message, payload, 8, TMF_CONTEXT, TMF_PAYLOAD.length);
      }
    },
  },
  {
    name: 'symbols',
    weight: 1,
    parts: anyParts,
    seeds: () => [elfOfOneName(2_000), elfOfOneName(20_000)],
    run: (bytes) => {
      const folder = mkdtempSync(join(tmpdir(), 'tracewright-fuzz-'));
      try {
        writeFileSync(join(folder, 'app'), bytes);
        new SymbolFolders([folder]).file('/app', undefined)?.nameAt(0);
      } finally {
        rmSync(folder, { recursive: true });
      }
    },
  },
  {
    name: 'tracepoint-format',
    weight: 1,
    parts: anyParts,
    seeds: () => [Buffer.from(FORMAT)],
    run: (bytes) => parseTracepointFormat('sched', bytes.toString()),
  },
];

const TMF_PAYLOAD = Buffer.alloc(500, 0x41);
const TMF_CONTEXT = { threadId: 1, processId: 2, processor: 3, sequence: 4, time: '2024' };

/** Errors that describe a problem of the bytes; any other is a defect. */
export const EXPECTED_ERRORS = [
  'TraceError',
  'EventHeaderError',
  'TraceLoggingError',
  'ManifestError',
  'TracepointV1Error',
];

/** The descriptions of events and maps in a merged trace. */
async function eventInfosIn(path) {
  const infos = [];
  for await (const event of await openTrace(path)) {
    if (event.name.startsWith('MetaData/')) infos.push(Buffer.from(event.payloadBytes));
  }
  return infos;
}

const ETL_HEADER_SIZE = 0x48;
const ETL_COMPRESSED_FLAG = 0x40;

/** The contents of the first compressed buffer. */
function compressedBuffer(file) {
  for (let start = 0; ; start += file.readUInt32LE(start)) {
    if ((file.readUInt16LE(start + 0x34) & ETL_COMPRESSED_FLAG) === 0) continue;
    return file.subarray(start + ETL_HEADER_SIZE, start + file.readUInt32LE(start));
  }
}

function linesOf(path) {
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

/** A manifest of a few events: its end, with all tables, is as interesting as its start. */
function shortManifest(file) {
  const text = file.toString();
  return Buffer.from(text.length < 16_384 ? text : `${text.slice(0, 6_000)}${text.slice(-6_000)}`);
}

const FORMAT = `name: sched_switch
ID: 316
format:
	field:unsigned short common_type;	offset:0;	size:2;	signed:0;
	field:int common_pid;	offset:4;	size:4;	signed:1;

	field:char prev_comm[16];	offset:8;	size:16;	signed:1;
	field:__data_loc char[] name;	offset:24;	size:4;	signed:1;
	field:__rel_loc u8[] bytes;	offset:28;	size:4;	signed:0;

print fmt: "prev_comm=%s", REC->prev_comm
`;

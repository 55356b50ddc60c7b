/**
 * What is fuzzed: each decoder, with files to start from and the errors that it may throw.
 *
 * @typedef {object} Target
 * @property {string} name
 * @property {number} weight how often it is chosen
 * @property {(bytes: Buffer) => readonly import('./mutate.mjs').Part[]} parts
 * @property {(dataFolder: string) => Buffer[]} seeds
 * @property {(bytes: Buffer) => unknown} run decodes all there is to decode; may be async
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openTrace } from '../../dist/trace/open-trace.js';
import { decodeEventHeader } from '../../dist/wire/eventheader/decode.js';
import { describeManifest } from '../../dist/wire/manifest/describe.js';
import { parseTracepointFormat } from '../../dist/wire/perf-data/tracepoint-format.js';
import { decodeTraceLogging } from '../../dist/wire/tracelogging/decode.js';
import { anyParts, cutEtl, cutPerf, etlParts, nettraceParts, perfParts } from './structure.mjs';

/** Of a large file so many bytes are taken: more would only make each run slower. */
const SEED_LIMIT = 160 << 10;

function filesOf(folder, extensions) {
  return readdirSync(folder)
    .filter((name) => extensions.some((extension) => name.endsWith(extension)))
    .map((name) => readFileSync(join(folder, name)));
}

/** Everything that an event can be asked for. */
async function readAll(bytes) {
  const trace = await openTrace(bytes);
  for await (const batch of trace.batches()) {
    for (const event of batch) {
      JSON.stringify(event);
      event.payloadBytes;
    }
  }
}

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
    name: 'eventheader',
    weight: 4,
    parts: anyParts,
    seeds: (folder) =>
      linesOf(join(folder, 'eventheader', 'decode.jsonl')).map(({ hex }) => Buffer.from(hex, 'hex')),
    run: (bytes) => decodeEventHeader('Provider_L5K1', bytes),
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
      return decodeTraceLogging(bytes.subarray(0, size), bytes.subarray(size));
    },
  },
  {
    name: 'manifest',
    weight: 1,
    parts: anyParts,
    seeds: (folder) => filesOf(join(folder, 'etl'), ['.man']).map((file) => shortManifest(file)),
    run: (bytes) => describeManifest(bytes.toString()),
  },
  {
    name: 'tracepoint-format',
    weight: 1,
    parts: anyParts,
    seeds: () => [Buffer.from(FORMAT)],
    run: (bytes) => parseTracepointFormat('sched', bytes.toString()),
  },
];

/** The errors that say what is wrong with the bytes; any other is a defect. */
export const EXPECTED_ERRORS = ['TraceError', 'EventHeaderError', 'TraceLoggingError', 'ManifestError'];

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

/**
 * Conformance with `eventheader/`: bytes, and how Microsoft's C++ and Rust tools (LinuxTracepoints) interpret them.
 *
 * - `decode.jsonl`: event bytes of every encoding and format, and malformed ones -> JSON text or error
 * - `EventHeaderInterceptorLE64.dat`: a recording of every type -> JSON text
 * - `encode.jsonl`: event specifications -> registration string, bytes, and JSON text
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openTrace } from '../../dist/trace/open-trace.js';
import { loadTestModule } from '../../scripts/lib/test-module.mjs';
import { runEncodeCase } from './eventheader-encode.mjs';
import { fromSurrogateEscape, readJsonLines, readObjectLines } from './reference-text.mjs';

const { openEventHeader, perfDataOf } = await loadTestModule('test/wire/eventheader/decode-event.ts');
const { renderEventJson } = await loadTestModule('test/wire/eventheader/render-json.ts');

const COMPLETE = { fieldTags: true, allMeta: true };

export const name = 'eventheader';

export function applies(dir) {
  return existsSync(join(dir, 'eventheader'));
}

export async function run(dir, report) {
  const folder = join(dir, 'eventheader');
  await runDecodeCases(join(folder, 'decode.jsonl'), report);
  await runRecording(join(folder, 'EventHeaderInterceptorLE64.dat'), report);
  await runEncodeCases(join(folder, 'encode.jsonl'), report);
}

async function runDecodeCases(file, report) {
  if (!existsSync(file)) return;
  for (const { id, tp, hex, cpp } of readJsonLines(file)) {
    await report.tryAsync(`decode/${id}`, async () => {
      const data = Buffer.from(hex, 'hex');
      report.compare(`decode/${id}`, await jsonOrError(tp, data), fromSurrogateEscape(cpp));
    });
  }
}

/** The rendered event, or the error and whether it was found before any field; a trace of the event must agree. */
async function jsonOrError(tracepointName, data) {
  const error = errorThrownBy(() => renderEventJson(tracepointName, data, COMPLETE));
  const problem = await problemInTrace(tracepointName, data);
  if (problem !== error?.message) return `a trace shows ${problem}, rendering ${error?.message}`;
  if (error === undefined) return renderEventJson(tracepointName, data, COMPLETE);
  const openError = errorThrownBy(() => openEventHeader(tracepointName, data));
  return JSON.stringify({ error: error.code, stage: openError === undefined ? 'format' : 'start' });
}

/** What a recording of this one event says about it. */
async function problemInTrace(tracepointName, data) {
  for await (const event of await openTrace(perfDataOf(tracepointName, data))) {
    // Not the payload's values: a trace's event has one of each name, and no tags.
    JSON.stringify(event);
    return event.payloadProblem;
  }
  throw new Error('The recording has no event.');
}

function errorThrownBy(decode) {
  try {
    decode();
    return undefined;
  } catch (error) {
    // By name: a test runner may load the class twice.
    if (error.name === 'EventHeaderError') return error;
    throw error;
  }
}

/** Records of u32 total size (little-endian), tracepoint name NUL, event bytes. */
async function runRecording(file, report) {
  if (!existsSync(file)) return;
  const expected = readObjectLines(`${file}.linux.json`);
  const bytes = readFileSync(file);
  let index = 0;
  for (let offset = 0; offset < bytes.length; index++) {
    const end = offset + bytes.readUInt32LE(offset);
    const nameEnd = bytes.indexOf(0, offset + 4);
    const tracepointName = bytes.toString('utf8', offset + 4, nameEnd);
    const data = bytes.subarray(nameEnd + 1, end);
    const id = `recording/${index}`;
    await report.tryAsync(id, async () => {
      const problem = await problemInTrace(tracepointName, data);
      const json = renderEventJson(tracepointName, data, { spaces: true, fieldTags: true });
      report.compare(id, problem ?? json, expected[index] ?? '');
    });
    offset = end;
  }
  if (index !== expected.length) {
    report.fail('recording/count', `got ${index} events, expected ${expected.length}`);
  }
}

async function runEncodeCases(file, report) {
  if (!existsSync(file)) return;
  for (const specification of readJsonLines(file)) {
    const { id, tp, hex, decoded } = specification;
    runEncodeCase(specification, report);
    await report.tryAsync(`decode-encoded/${id}`, async () => {
      const data = Buffer.from(hex, 'hex');
      report.compare(`decode-encoded/${id}`, await jsonOrError(tp, data), fromSurrogateEscape(decoded));
    });
  }
}

/**
 * Conformance with `eventheader/`: bytes, and how Microsoft's C++ and Rust tools (LinuxTracepoints) interpret them.
 *
 * - `decode.jsonl`: event bytes of every encoding and format, and malformed ones -> JSON text or error
 * - `EventHeaderInterceptorLE64.dat`: a recording of every type -> JSON text
 * - `encode.jsonl`: event specifications -> registration string, bytes, and JSON text
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { decodeEventHeader } from '../../dist/wire/eventheader/decode.js';
import { openEventHeader } from '../../dist/wire/eventheader/open.js';
import { loadTestModule } from '../lib/test-module.mjs';
import { runEncodeCase } from './eventheader-encode.mjs';
import { fromSurrogateEscape, readJsonLines, readObjectLines } from './reference-text.mjs';

const { renderEventJson } = await loadTestModule('test/wire/eventheader/render-json.ts');

const COMPLETE = { fieldTags: true, allMeta: true };

export const name = 'eventheader';

export function applies(dir) {
  return existsSync(join(dir, 'eventheader'));
}

export function run(dir, report) {
  const folder = join(dir, 'eventheader');
  runDecodeCases(join(folder, 'decode.jsonl'), report);
  runRecording(join(folder, 'EventHeaderInterceptorLE64.dat'), report);
  runEncodeCases(join(folder, 'encode.jsonl'), report);
}

function runDecodeCases(file, report) {
  if (!existsSync(file)) return;
  for (const { id, tp, hex, cpp } of readJsonLines(file)) {
    report.try(`decode/${id}`, () => {
      const data = Buffer.from(hex, 'hex');
      report.compare(`decode/${id}`, jsonOrError(tp, data), fromSurrogateEscape(cpp));
    });
  }
}

/** The rendered event, or the error and whether it was found before any field. */
function jsonOrError(tracepointName, data) {
  const decodeError = codeThrownBy(() => decodeEventHeader(tracepointName, data));
  const renderError = codeThrownBy(() => renderEventJson(tracepointName, data, COMPLETE));
  if (decodeError !== renderError) return `decoding gives ${decodeError}, rendering ${renderError}`;
  if (renderError === undefined) return renderEventJson(tracepointName, data, COMPLETE);
  const openError = codeThrownBy(() => openEventHeader(tracepointName, data));
  return JSON.stringify({ error: renderError, stage: openError === undefined ? 'format' : 'start' });
}

function codeThrownBy(decode) {
  try {
    decode();
    return undefined;
  } catch (error) {
    // By name: a test runner may load the class twice.
    if (error.name === 'EventHeaderError') return error.code;
    throw error;
  }
}

/** Records of u32 total size (little-endian), tracepoint name NUL, event bytes. */
function runRecording(file, report) {
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
    report.try(id, () => {
      decodeEventHeader(tracepointName, data);
      const json = renderEventJson(tracepointName, data, { spaces: true, fieldTags: true });
      report.compare(id, json, expected[index] ?? '');
    });
    offset = end;
  }
  if (index !== expected.length) {
    report.fail('recording/count', `got ${index} events, expected ${expected.length}`);
  }
}

function runEncodeCases(file, report) {
  if (!existsSync(file)) return;
  for (const specification of readJsonLines(file)) {
    const { id, tp, hex, decoded } = specification;
    runEncodeCase(specification, report);
    report.try(`decode-encoded/${id}`, () => {
      const data = Buffer.from(hex, 'hex');
      report.compare(`decode-encoded/${id}`, jsonOrError(tp, data), fromSurrogateEscape(decoded));
    });
  }
}

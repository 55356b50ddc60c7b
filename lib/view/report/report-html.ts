/**
 * A report as one HTML file that makes no network requests. Everything from the trace is base64-encoded and compressed
 * in it: no text of a trace can become HTML or script.
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import { packageFolder } from '../../base/package-files.ts';
import { COLUMN_NAMES } from './report-header.ts';
import type { ReportContent } from './trace-report.ts';

/** Bytes per element of the page; a multiple of three, so that base64 needs no padding. */
const PIECE_SIZE = 3 << 18;
/** Bytes per write to the compressor. */
const SLICE_SIZE = 1 << 20;

/** The file's text, in chunks. */
export async function* reportHtml(content: ReportContent): AsyncGenerator<string, void, undefined> {
  const page = (name: string) => readFile(join(packageFolder(), 'dist/report', name), 'utf8');
  const [template, style, script] = await Promise.all([
    page('report.html'),
    page('report.css'),
    page('report.js'),
  ]);
  const [start = '', middle = '', end = ''] = template.split(
    /<!-- policy and style -->|<!-- data and script -->/,
  );
  yield `${start}<meta http-equiv="Content-Security-Policy" content="${policyOf(style, script)}">\n`;
  yield `<style>${style}</style>${middle}`;
  for await (const piece of piecesOf(Readable.from(slicesOf(content)).pipe(createGzip({ level: 7 })))) {
    yield `<script type="application/octet-stream" class="data">${piece.toString('base64')}</script>\n`;
  }
  yield `<script>${script}</script>${end}`;
}

/** Allows only this style and this script: nothing injected, nothing loaded. */
function policyOf(style: string, script: string): string {
  return `default-src 'none'; style-src ${hashOf(style)}; script-src ${hashOf(script)}; base-uri 'none'; form-action 'none'`;
}

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

/** The header's size as a 32-bit little-endian number, the header in UTF-8, the columns. */
function* slicesOf({ header, columns }: ReportContent): Generator<Uint8Array, void, undefined> {
  const json = Buffer.from(JSON.stringify(header));
  const size = Buffer.alloc(4);
  size.writeUInt32LE(json.length);
  yield size;
  for (const bytes of [json, ...COLUMN_NAMES.map((name) => columns[name])]) {
    for (let at = 0; at < bytes.length; at += SLICE_SIZE) yield bytes.subarray(at, at + SLICE_SIZE);
  }
}

async function* piecesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
  let waiting: Buffer[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    waiting.push(chunk);
    size += chunk.length;
    if (size < PIECE_SIZE) continue;
    const all = Buffer.concat(waiting);
    const whole = all.length - (all.length % PIECE_SIZE);
    for (let at = 0; at < whole; at += PIECE_SIZE) yield all.subarray(at, at + PIECE_SIZE);
    waiting = [all.subarray(whole)];
    size = all.length - whole;
  }
  if (size > 0) yield Buffer.concat(waiting);
}

/**
 * A report as one HTML file that makes no network requests. Everything from the trace is base64-encoded and compressed
 * in it: no text of a trace can become HTML or script.
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packageFolder } from '../../base/package-files.ts';
import { DEFLATE_END, deflated } from './report-column.ts';
import { COLUMN_NAMES } from './report-header.ts';
import type { ReportContent } from './trace-report.ts';

/** Bytes per element of the page; a multiple of three, so that base64 needs no padding. */
const PIECE_SIZE = 3 << 18;

/** The file's text, in chunks. */
export async function* reportHtml(content: ReportContent): AsyncGenerator<string, void, undefined> {
  const [template, style, script] = await Promise.all([
    pagePart('report.html'),
    pagePart('report.css'),
    pagePart('report.js'),
  ]);
  const [start = '', middle = '', end = ''] = template.split(
    /<!-- policy and style -->|<!-- data and script -->/,
  );
  yield `${start}<meta http-equiv="Content-Security-Policy" content="${policyOf(style, script)}">\n`;
  yield `<style>${style}</style>${middle}`;
  for (const piece of piecesOf(compressed(content))) {
    yield `<script type="application/octet-stream" class="data">${piece.toString('base64')}</script>\n`;
  }
  yield `<script>${script}</script>${end}`;
}

/** A file that pages are made of. */
export function pagePart(name: string): Promise<string> {
  return readFile(join(packageFolder(), 'dist/report', name), 'utf8');
}

/** Allows only this style and this script: nothing injected, nothing loaded. */
export function policyOf(style: string, script: string): string {
  return `default-src 'none'; style-src ${hashOf(style)}; script-src ${hashOf(script)}; base-uri 'none'; form-action 'none'`;
}

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

/** The header's size as a 32-bit little-endian number, the header in UTF-8, the columns. */
function* compressed({ header, columns }: ReportContent): Generator<Uint8Array, void, undefined> {
  const json = Buffer.from(JSON.stringify(header));
  const size = Buffer.alloc(4);
  size.writeUInt32LE(json.length);
  yield deflated(Buffer.concat([size, json]));
  for (const name of COLUMN_NAMES) yield* columns[name].chunks();
  yield DEFLATE_END;
}

function* piecesOf(chunks: Iterable<Uint8Array>): Generator<Buffer, void, undefined> {
  let waiting: Uint8Array[] = [];
  let size = 0;
  for (const chunk of chunks) {
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

// `npm run bench -- --json >FILE && node scripts/bench/write-document.mjs FILE`: puts the figures into
// docs/performance.md, between its two markers.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { asMarkdown } from './table.mjs';

const start = '<!-- figures: written by scripts/bench/write-document.mjs -->';
const end = '<!-- end of figures -->';

const [file] = process.argv.slice(2);
const report = JSON.parse(readFileSync(file, 'utf8'));
const path = join(import.meta.dirname, '../../docs/performance.md');
const text = readFileSync(path, 'utf8');
const [before, after] = [text.indexOf(start), text.indexOf(end)];
if (before < 0 || after < before)
  throw new Error(`${path} has no place for figures: "${start}" to "${end}".`);
writeFileSync(
  path,
  `${text.slice(0, before + start.length)}\n\n${asMarkdown(report)}\n\n${text.slice(after)}`,
);

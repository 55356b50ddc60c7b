// `npm run bench -- --document`: puts the figures into docs/performance.md and the README's table of costs, each between
// its two markers.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { asMarkdown, costsAsMarkdown } from './table.mjs';

const start = '<!-- figures: written by scripts/bench/write-document.mjs -->';
const end = '<!-- end of figures -->';

/** Columns are padded for terminals only: the documents are in the package. */
const withoutPadding = (figures) =>
  figures.replace(/^\|.*$/gm, (row) => row.replace(/ {2,}/g, ' ').replace(/-{4,}/g, '---'));

function write(name, figures) {
  const path = join(import.meta.dirname, '../..', name);
  const text = readFileSync(path, 'utf8');
  const [before, after] = [text.indexOf(start), text.indexOf(end)];
  if (before < 0 || after < before)
    throw new Error(`${path} has no place for figures: "${start}" to "${end}".`);
  const [head, tail] = [text.slice(0, before + start.length), text.slice(after)];
  writeFileSync(path, `${head}\n\n${withoutPadding(figures)}\n\n${tail}`);
}

/** @param report of everything: the README quotes several groups */
export function writeDocument(report) {
  // First, because it throws if a figure is missing.
  const costs = costsAsMarkdown(report);
  write('docs/performance.md', asMarkdown(report));
  write('README.md', costs);
}

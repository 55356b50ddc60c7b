// Makes written bundles small without joining their lines, of which Node prints the whole when an error is uncaught.
import { decode, encode } from '@jridgewell/sourcemap-codec';
import { parseAst } from 'rolldown/parseAst';

/**
 * The code without indentation and its modules' names, and a map that says which line a place comes from, and nothing of columns, names and
 * the sources' text.
 * @param {string} code
 * @param {{ file?: string, sources: readonly string[], mappings: string }} [map]
 */
export function shrunk(code, map) {
  const inTemplate = templateLines(code);
  const indentations = [];
  const lines = code.split('\n').map((line, index) => {
    const isText = inTemplate.has(index);
    const indentation = isText ? 0 : line.length - line.trimStart().length;
    indentations.push(indentation);
    // Where a module begins is in the map, too; the line stays, for the map counts lines.
    return !isText && line.startsWith('// lib/') ? '' : line.slice(indentation);
  });
  return { code: lines.join('\n'), map: map && lineMap(map, indentations) };
}

/** Seen from the folders of bundles. */
const sourceRoot = '../../lib/';

/** Lines that begin in a template, whose blanks are text. */
function templateLines(code) {
  const lines = new Set();
  const starts = [...code.matchAll(/\n/g)].map(({ index }) => index + 1);
  const visit = (node) => {
    if (node === null || typeof node !== 'object') return;
    if (node.type === 'TemplateElement') {
      for (const [index, start] of starts.entries())
        if (start > node.start && start <= node.end) lines.add(index + 1);
    }
    for (const value of Object.values(node)) visit(value);
  };
  visit(parseAst(code));
  return lines;
}

function lineMap({ file, sources, mappings }, indentations) {
  const lines = decode(mappings).map((segments, index) => {
    let source = -1;
    let line = -1;
    return segments.flatMap(([column, segmentSource, segmentLine, segmentColumn]) => {
      if (segmentSource === undefined || (segmentSource === source && segmentLine === line)) return [];
      [source, line] = [segmentSource, segmentLine];
      return [[Math.max(0, column - indentations[index]), source, line, segmentColumn]];
    });
  });
  const names = sources.map((source) => source.slice(sourceRoot.length));
  return { version: 3, file, sourceRoot, sources: names, names: [], mappings: encode(lines) };
}

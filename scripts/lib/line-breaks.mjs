// Breaks minified bundles into lines: for an uncaught error, Node prints the whole line that threw.
import { decode, encode } from '@jridgewell/sourcemap-codec';
import { parseAst } from 'rolldown/parseAst';

/** Characters per line, unless one statement has more. */
const WIDTH = 120;
/** Relative to the bundles' folders. */
const sourceRoot = '../../lib/';
const CLOSING = /[)\]},;]/;

/**
 * The code in lines, and a map that says which source line a place comes from, without columns, names and the sources' text.
 * @param {string} code without white space
 * @param {{ file?: string, sources: readonly string[], mappings: string }} [map]
 */
export function broken(code, map) {
  const breaks = breaksOf(code);
  const lines = breaks.map((start, index) => code.slice(start, breaks[index + 1]));
  return { code: lines.join('\n'), map: map && lineMap(map, code, breaks) };
}

/** Where lines begin: at the code's own, and before statements, members, properties and elements. */
function breaksOf(code) {
  const starts = [...lineStarts(code), ...placesOf(code), code.length].sort((a, b) => a - b);
  const own = new Set(lineStarts(code));
  const breaks = [0];
  let lineStart = 0;
  for (const [index, start] of starts.entries()) {
    if (own.has(start)) lineStart = start;
    else if (start > lineStart && (starts[index + 1] ?? 0) - lineStart > WIDTH) {
      breaks.push(start);
      lineStart = start;
    }
  }
  return breaks;
}

function lineStarts(code) {
  return [0, ...[...code.matchAll(/\n/g)].map(({ index }) => index + 1)];
}

/** A line break is allowed after any token before one of these. */
function placesOf(code) {
  const places = [];
  const visit = (node) => {
    if (node === null || typeof node !== 'object') return;
    const { type } = node;
    if (type === 'Program' || type === 'BlockStatement' || type === 'ClassBody')
      places.push(...startsOf(node.body));
    else if (type === 'ObjectExpression') places.push(...startsOf(node.properties));
    else if (type === 'ArrayExpression') places.push(...startsOf(node.elements));
    for (const value of Object.values(node)) visit(value);
  };
  visit(parseAst(code));
  return places;
}

function startsOf(nodes) {
  return nodes.filter((node) => node !== null).map(({ start }) => start);
}

/** @param {{ file?: string, sources: readonly string[], mappings: string }} map */
function lineMap({ file, sources, mappings }, code, breaks) {
  const ownStarts = lineStarts(code);
  const newStarts = [...new Set([...ownStarts, ...breaks])].sort((a, b) => a - b);
  /** @type {[number, number, number, number][][]} */
  const lines = newStarts.map(() => []);
  let at = 0;
  let source = -1;
  let line = -1;
  for (const [index, segments] of decode(mappings).entries()) {
    for (const [column, segmentSource, segmentLine] of segments) {
      if (segmentSource === undefined || segmentLine === undefined) continue;
      const offset = ownStarts[index] + column;
      // Nothing throws at the end of something.
      if (CLOSING.test(code[offset])) continue;
      while (newStarts[at + 1] <= offset) at++;
      const isFirst = lines[at].length === 0;
      if (!isFirst && segmentSource === source && segmentLine === line) continue;
      [source, line] = [segmentSource, segmentLine];
      lines[at].push([offset - newStarts[at], source, line, 0]);
    }
  }
  const names = sources.map((name) => name.slice(sourceRoot.length));
  return { version: 3, file, sourceRoot, sources: names, names: [], mappings: encode(lines) };
}

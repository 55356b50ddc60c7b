// Events with one text, recorded by the kernel's tracer. All texts take the same number of bytes in UTF-8, so that
// their times compare by the byte.
import { defineEventSource, event } from 'tracewright';

const BYTES = 1200;
const HALF = BYTES / 2;
const repeated = (character) => character.repeat(BYTES / Buffer.byteLength(character));

const forms = {
  ascii: () => repeated('a'),
  latin: () => repeated('é'),
  cjk: () => repeated('中'),
  emoji: () => repeated('😀'),
  // V8 keeps the two halves until somebody reads the text
  concatenated: (i) => 'a'.repeat(HALF) + String(i).padEnd(HALF),
  ipv4: () => '192.168.1.17',
  ipv6: () => '2001:db8:85a3::8a2e:370:7334',
};

export function text(form) {
  const type = form.startsWith('ip') ? 'ipAddress' : 'string';
  const source = defineEventSource('Tracewright-Benchmark', { Event: event({ value: type }) });
  const isConcatenated = form === 'concatenated';
  const make = forms[form];
  const value = make(0);
  return (iterations) => {
    for (let i = 0; i < iterations; i++) source.Event({ value: isConcatenated ? make(i) : value });
    return source.stats().written;
  };
}

/**
 * A program: encodes payloads with a built library and prints the bytes as hex, one event a line, and before
 * them whether code may be made from strings.
 *
 * Arguments: the folder of the build, and a file with the events (v8.serialize).
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { deserialize } from 'node:v8';

const [build, samplesFile] = process.argv.slice(2);
const load = (file) => import(pathToFileURL(join(build, file)).href);
const { EventHeaderEncoder } = await load('wire/eventheader/encode.js');
const { WRITE_INDEX_SIZE } = await load('wire/user-events.js');
const { scratch } = await load('wire/scratch.js');

let allowed = true;
try {
  new Function('');
} catch {
  allowed = false;
}
console.log(allowed ? 'allowed' : 'disallowed');
for (const { schema, payload } of deserialize(readFileSync(samplesFile))) {
  const size = new EventHeaderEncoder(schema).encode(payload, undefined, undefined);
  console.log(scratch.subarray(WRITE_INDEX_SIZE, size).toString('hex'));
}

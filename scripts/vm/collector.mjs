// A stream that keeps what is written to it.
import { Writable } from 'node:stream';

/** @returns {{ stream: Writable, text: () => string }} */
export function collector() {
  const chunks = [];
  const stream = new Writable({
    write(chunk, _encoding, done) {
      chunks.push(chunk);
      done();
    },
  });
  return { stream, text: () => Buffer.concat(chunks).toString('utf8') };
}

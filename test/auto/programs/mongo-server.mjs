// A fake server of MongoDB, which Debian does not have: it speaks the protocol as far as the tests' clients do.
import { once } from 'node:events';
import { createServer } from 'node:net';
import { load } from './libraries.mjs';

const { BSON } = load('mongodb');
const HEADER = 16;
const OP_MSG = 2013;

const ANSWERS = {
  hello: { isWritablePrimary: true, maxWireVersion: 25, minWireVersion: 0, maxBsonObjectSize: 2 ** 24 },
  find: { cursor: { id: BSON.Long.fromNumber(7), ns: 'shop.orders', firstBatch: [{ _id: 1 }] } },
  getMore: { cursor: { id: BSON.Long.fromNumber(0), ns: 'shop.orders', nextBatch: [{ _id: 2 }] } },
  insert: { ok: 0, code: 26, codeName: 'NamespaceNotFound', errmsg: "ns 'secret' does not exist" },
};

/** Of a message with one document, which is how the client asks with a version of the API. */
function answered(message) {
  const command = BSON.deserialize(message.subarray(HEADER + 5));
  const [name] = Object.keys(command);
  const document = BSON.serialize({ ok: 1, ...ANSWERS[name] });
  const answer = Buffer.alloc(HEADER + 5 + document.length);
  answer.writeInt32LE(answer.length, 0);
  answer.writeInt32LE(message.readInt32LE(4), 8);
  answer.writeInt32LE(OP_MSG, 12);
  answer.set(document, HEADER + 5);
  return answer;
}

/** Listens on a free loopback port. */
export async function listenAsMongo() {
  const server = createServer((socket) => {
    let left = Buffer.alloc(0);
    socket.on('error', () => {});
    socket.on('data', (data) => {
      left = Buffer.concat([left, data]);
      while (left.length >= HEADER && left.length >= left.readInt32LE(0)) {
        const size = left.readInt32LE(0);
        socket.write(answered(left.subarray(0, size)));
        left = left.subarray(size);
      }
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}
